import type { Handlers } from '../../api/server.ts';
import { quotedIfNeeded } from '../../platform/shell.ts';
import { openAttempts } from '../../work/attempt/store.ts';
import { platformLabel, slotsElsewhere } from '../leader/queue/choose-slot.ts';
import { recentRuns, slotsOf } from '../leader/queue/runs.ts';
import { type Desk, iso } from './context.ts';

const HOUR_MS = 3600_000;

/** Calls about the machines that join the farm. */
export function hostCallsOf(desk: Desk): Pick<Handlers, 'hostInvite' | 'hosts' | 'hostDrain' | 'hostRemove'> {
  const { farm, hosts, state } = desk;
  const agentsHere = async () => (await openAttempts(farm.db)).filter(({ host }) => host === null).length;
  return {
    async hostInvite({ forMs = HOUR_MS, ...asked }) {
      const { url, until, address, port } = await hosts.invite({ ...asked, forMs });
      return { command: `furrow host --join ${quotedIfNeeded(url)}`, url, until: iso(until), listens: `${address}:${port}` };
    },

    async hosts() {
      const joined = await hosts.joined();
      const own = [...state.queue.running.values()].filter((run) => run.host === undefined);
      const here = {
        ...{ name: hosts.here, state: 'here' as const, labels: [platformLabel], agents: farm.config.parallel },
        checks: slotsOf(farm, state.queue, await recentRuns(farm)) - slotsElsewhere(state.queue),
        ...{ checking: own.length, working: await agentsHere(), version: farm.version, class: null, heard: null },
      };
      return {
        hosts: [here, ...joined.map((one) => ({ ...one, labels: [...one.labels], heard: one.heard === null ? null : iso(one.heard) }))],
      };
    },

    async hostDrain({ name, on }) {
      return { name, state: await hosts.drain(name, on) };
    },

    async hostRemove({ name }) {
      await hosts.remove(name);
      return { name };
    },
  };
}

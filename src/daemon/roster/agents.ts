import type { SeenProcess } from '../../agents/supervision/process.ts';
import type { AgentEnded, AgentStarted } from '../../hosts/link/agent-frames.ts';
import type { ActOrder } from '../../hosts/link/frames.ts';
import { FurrowError } from '../../platform/error.ts';
import { identityOf } from '../../platform/git/repository.ts';
import { readSaid } from '../../work/attempt/end-report.ts';
import { reworkOf } from '../../work/task/rework.ts';
import type { Ended, EndFacts } from '../acts/attempt-end/arguments.ts';
import type { FarEnd, FarStart, JoinedAgents } from '../farm/joined-hosts.ts';
import { trustedConfig } from '../farm/trust/trusted-config.ts';
import type { Brought } from './bring-home.ts';
import type { RosterFarm } from './farm.ts';
import { configForAgents } from './host-config.ts';
import { judgeHome } from './judge-home.ts';
import type { RemoteAct } from './remote-act.ts';
import type { Roster } from './roster.ts';

type Head = () => { head: string; target: string };

/** An order as its act makes it; the roster adds the rest. */
type Order = Pick<ActOrder, 'kind' | 'attempt' | 'args' | 'facts' | 'commits' | 'prompt' | 'identity'>;

/** The agents that run on other machines. */
export function remoteAgents(farm: RosterFarm, roster: Roster, head: Head): JoinedAgents {
  const lost = (host: string) => new FurrowError('HOST_LOST', roster.whyLost(host) ?? `${host} is lost`);

  const ask = async <R>(
    host: string,
    order: Order,
    settle: (act: Settling<R>) => Partial<RemoteAct>,
    cancelled?: AbortSignal,
  ): Promise<R> => {
    const member = roster.members.get(host);
    if (!member || roster.whyLost(host) !== undefined) throw lost(host);
    const id = roster.nextId();
    const told = { tell: 'act', id, ...order, ...head(), config: configForAgents(trustedConfig(farm)) } as const;
    if (JSON.stringify(told).length > MOST_BYTES)
      throw new FurrowError('TOO_LARGE_THERE', `what ${host} must be told for this is longer than ${MOST_BYTES / 1024} KB`);
    const { promise, resolve, reject } = Promise.withResolvers<R>();
    const wrong = () => reject(new FurrowError('HOST_TROUBLE', `${host} answered something else`));
    const act: RemoteAct = { order: told, started: wrong, ended: wrong, fail: reject, brought: undefined };
    Object.assign(act, settle({ act, resolve, reject }));
    member.acts.set(id, act);
    member.tell(told);
    const cancel = () => {
      if (member.isConnected) return member.tell({ tell: 'cancel', id });
      // Nobody there hears it. What it may have begun ends when it comes again: the attempt is over then.
      member.acts.delete(id);
      reject(new FurrowError('STOPPED', `${host} cannot be reached; what it may have begun ends when it comes again`));
    };
    cancelled?.addEventListener('abort', cancel, { once: true });
    return promise.finally(() => cancelled?.removeEventListener('abort', cancel));
  };

  return {
    ready: () =>
      [...roster.members.values()]
        .filter((one) => one.isReady && one.row.agents > 0)
        .map(({ row }) => ({ name: row.name, agents: row.agents })),

    async start({ host, args, facts, prompt }: FarStart, cancelled) {
      const from = reworkOf(facts.assignment.task)?.from;
      const commits = [...new Set([args.base, ...(facts.from ? [facts.from] : []), ...(from ? [from] : [])])];
      const identity = await identityOf(farm.repo);
      const order: Order = { kind: 'attempt.start', attempt: facts.row.id, args, facts, prompt, identity, commits };
      try {
        const started = await ask<AgentStarted>(host, order, ({ resolve }) => ({ started: resolve }), cancelled);
        roster.members.get(host)?.attempts.add(facts.row.id);
        roster.members.get(host)?.worked();
        const { place, ...rest } = started;
        return { ...rest, ...(place && { place }) };
      } catch (error) {
        if (!(error instanceof FurrowError) || !NOT_ITS_FAULT.has(error.code)) restAfter(roster, host, error as Error);
        throw error;
      }
    },

    async end({ host, args, facts }: FarEnd) {
      // A person does not wait for a machine that is not there: the attempt is over, and ends there when the machine comes again.
      const now = args.why === 'stop' && args.graceMs === 0 && roster.members.get(host)?.isConnected !== true;
      if (now) return { ...nothingKnown(`${host} cannot be reached`, facts), outcome: 'stopped' };
      const order: Order = { kind: 'attempt.end', attempt: facts.row.id, args, facts, commits: [] };
      try {
        const { said, brought } = await ask<Home>(host, order, ended);
        return await judgeHome(farm, facts, said, brought);
      } catch (error) {
        if (error instanceof FurrowError && error.code === 'HOST_LOST') return nothingKnown(error.message, facts);
        throw error;
      }
    },

    look(attempts) {
      roster.followAttempts(attempts);
      return attempts.map((row): SeenProcess => {
        const host = row.host!;
        const seen = roster.members.get(host)?.seen.get(row.id);
        const known = seen?.launch === row.launch ? seen : undefined;
        const gone = roster.whyLost(host) !== undefined;
        const alive = gone ? false : (known?.alive ?? undefined);
        const { id, agent, deadline } = row;
        const state = row.state as 'starting' | 'running';
        return {
          id,
          agent,
          state,
          exited: known?.exited ?? false,
          alive,
          orphaned: false,
          deadline,
          saidAt: readSaid(row.said)?.at ?? null,
        };
      });
    },
  };
}

interface Settling<R> {
  readonly act: RemoteAct;
  resolve(result: R): void;
  reject(error: Error): void;
}

interface Home {
  readonly said: AgentEnded;
  readonly brought: Brought;
}

const ended = ({ act, resolve }: Settling<Home>): Partial<RemoteAct> => ({
  ended: (said) => resolve({ said, brought: act.brought ?? {} }),
});

/** A frame has room for more; nobody's task is that long. */
const MOST_BYTES = 900 * 1024;

/** Errors that say nothing against the machine. */
const NOT_ITS_FAULT = new Set(['GOES_ON', 'HOST_LOST', 'STOPPED', 'CUT_SHORT', 'TEMPLATE', 'TOO_LARGE_THERE']);

function restAfter(roster: Roster, host: string, error: Error): void {
  const ms = roster.members.get(host)?.rest();
  if (ms === undefined) return;
  const text = `${host} could not start an agent, and rests for ${ms / 1000} s: ${error.message}`;
  roster.tell({ kind: 'host.trouble', text, data: { host } });
}

/** The end of an attempt whose machine is lost. What it has done may still come home one day, as commits that nobody waits for. */
const nothingKnown = (why: string, { row }: EndFacts): Ended => ({
  outcome: 'crashed',
  reason: `${why}; what ${row.agent} did there is not known`,
  sha: null,
  kept: null,
});

import type { Out } from '../../api/contract.ts';
import type { Handlers } from '../../api/server.ts';
import { readMeta, writeMeta } from '../../journal/store.ts';
import { greenText, knownOfHead } from '../leader/work/preflight.ts';
import { headChecks, reportRed } from '../leader/work/preflight-report.ts';
import type { Desk } from './context.ts';
import { noTarget } from './no-target.ts';
import { until } from './wait-until.ts';

const NOTHING = { checks: [], telling: [], advice: [] };

/** The checks on the head itself, for `furrow work` before its first agent and for `furrow doctor --check`. */
export function preflight(desk: Desk): Pick<Handlers, 'preflight'> {
  const { feed, orders } = desk;
  return {
    async preflight({ ask, wait }, { signal }) {
      const answered = () => until(feed, signal, async () => (await reportOf(desk)).state !== 'running');
      const enough = ask ? orders.checkHead() : () => {};
      try {
        if (ask) await anew(desk);
        // The target of a daemon that has just started is not read yet, and no event tells when it is.
        if (ask || wait) await desk.looked();
        if (wait) await answered();
        return await reportOf(desk);
      } finally {
        enough();
      }
    },
  };
}

/** Lets a red head be asked once more: what is missing may have been installed since, which no tree tells. */
export async function anew({ farm, state }: Desk): Promise<void> {
  const is = (await knownOfHead(farm, state))?.known.is;
  if (is === 'red' || is === 'broken') await writeMeta(farm.db, 'queue.resumed', String(farm.clock.now()));
}

async function reportOf({ farm, state }: Desk): Promise<Out<'preflight'>> {
  const { target } = farm;
  if (farm.config.checks.length === 0) {
    return { ...NOTHING, state: 'unchecked', target, text: 'no check is configured: what agents hand in lands unchecked' };
  }
  if ((await readMeta(farm.db, 'queue.paused')) === '1')
    return { ...NOTHING, state: 'off', target, text: 'the queue is paused, so nothing is checked' };
  if (farm.stopped() !== undefined && state.queue.asked === 0)
    return { ...NOTHING, state: 'off', target, text: 'the farm is stopped, so nothing is checked' };
  const found = await knownOfHead(farm, state);
  if (!found) {
    if (state.base) return { ...NOTHING, state: 'running', target, text: `waits until the queue is at ${target}` };
    throw await noTarget(farm);
  }
  const { known } = found;
  const checks = await headChecks(farm, state, found.checks);
  if (known.is === 'green') return { ...NOTHING, state: 'green', target, checks, text: await greenText(farm, state, found.checks) };
  if (known.is === 'open') return { ...NOTHING, state: 'running', target, checks, text: `${target} is being checked in a clean worktree` };
  const { text, telling, advice } = await reportRed(farm, state, known.check);
  return { state: 'red', target, checks, text, telling: [...telling], advice: [...advice] };
}

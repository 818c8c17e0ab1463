import type { WantedCheck } from '../../../queue/plan.ts';
import type { QueueSnapshot } from '../../../queue/snapshot.ts';
import { type CheckArgs, runningKey } from '../../acts/check-run/arguments.ts';
import { checkKey } from '../../acts/keys.ts';
import { checkLog } from '../../farm/check-log.ts';
import type { Farm } from '../../farm/farm.ts';
import type { Performer } from '../../farm/performer.ts';
import { mayCheck } from '../check-needs.ts';
import { chooseSlot, slotsElsewhere } from './choose-slot.ts';
import { buildChain } from './landing.ts';
import type { QueueMemory, Running } from './memory.ts';

/** Starts the checks that the plan wants, each in a slot of its own. */
export async function startChecks(
  farm: Farm,
  memory: QueueMemory,
  perform: Performer,
  snapshot: QueueSnapshot,
  wanted: readonly WantedCheck[],
  asked?: true,
): Promise<void> {
  const due: WantedCheck[] = [];
  for (const one of wanted) {
    const about = { tree: one.tree, check: one.check.id };
    if (memory.running.has(runningKey(about)) || perform.busy(checkKey(about))) continue;
    if (await mayCheck(farm, { tree: one.tree, check: one.check, stage: 'queue' })) due.push(one);
  }
  // Built side by side: each takes 35 ms, and the fourth slot would begin after four of them.
  const begun = due.map(async ({ tree, chain, check }) => {
    const commit = chain.length === 0 ? snapshot.head : (await buildChain(farm, memory, snapshot, chain)).commit;
    const task = chain.length === 1 ? (snapshot.entries.find((one) => one.id === chain[0])?.task ?? null) : null;
    startCheck(farm, memory, perform, snapshot.slots, { tree, commit, check, chain, task, ...(asked && { asked }) });
  });
  for (const one of await Promise.allSettled(begun)) if (one.status === 'rejected') throw one.reason;
}

/** A check that gets a slot. */
interface CheckToStart extends Pick<CheckArgs, 'tree' | 'commit' | 'check' | 'task' | 'asked'>, Pick<Running, 'chain' | 'race'> {}

/** Starts one check in a free slot; a check that already runs is not started again. */
export function startCheck(farm: Farm, memory: QueueMemory, perform: Performer, slots: number, wanted: CheckToStart): void {
  const { tree, commit, check, task, chain, race, asked } = wanted;
  const key = runningKey({ tree, check: check.id });
  if (memory.running.has(key) || perform.busy(checkKey({ tree, check: check.id }))) return;
  const chosen = chooseSlot(memory, Math.max(1, slots - slotsElsewhere(memory)), wanted);
  if (!chosen) return;
  const log = checkLog(farm, tree, check.name);
  const about = { tree, check: check.id, name: check.name, chain, ...(race !== undefined && { race }), ...(asked && { asked }) };
  memory.running.set(key, { ...about, ...chosen, since: farm.clock.now(), log, abort: new AbortController() });
  void perform.start('check.run', { tree, commit, check, ...chosen, task, stage: 'queue', log, ...(asked && { asked }) }).finally(() => {
    memory.running.delete(key);
    farm.wake();
  });
}

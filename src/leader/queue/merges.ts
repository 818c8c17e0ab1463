import { setImmediate as nextTick } from 'node:timers/promises';
import { wakeAt } from '../../farm/alarm.ts';
import type { Farm } from '../../farm/farm.ts';
import type { StackResult } from '../../merge/conflict.ts';
import type { StackEntry } from '../../merge/judge.ts';
import type { Stack } from '../../merge/stack.ts';
import { limiter } from '../../platform/limit.ts';
import { planQueue } from '../../queue/plan.ts';
import { type Chain, chainKey, type QueueSnapshot } from '../../queue/snapshot.ts';
import { type QueueMemory, runningNow } from './memory.ts';
import { stackEntries, stackOn } from './stack-up.ts';
import { overIt, trouble } from './trouble.ts';

const AGAIN_MS = 1000;

/**
 * Computes the merges that a plan asks for, but for those that are being computed. Each answer leads to the next merges by itself, and the loop looks
 * once there is something to begin: with a look after every merge a stack of 16 entries took 16 looks, and slots stood empty meanwhile.
 */
export async function askMerges(farm: Farm, memory: QueueMemory, snapshot: QueueSnapshot, chains: readonly Chain[]): Promise<void> {
  memory.seen = snapshot;
  const name = (chain: Chain) => `${snapshot.head} ${chainKey(chain)}`;
  const asked = chains.filter((chain) => !memory.merging.has(name(chain)) && !isTroubled(farm, memory, chain));
  for (const chain of asked) memory.merging.add(name(chain));
  try {
    // No answer would change such a plan, and looking again at once would never end.
    if (chains.every((chain) => snapshot.stacked.has(chainKey(chain))))
      throw new Error(`the plan asks for known merges: ${chains.join(' ')}`);
    const stack = await stackOn(farm, memory);
    if (stack.head !== snapshot.head) return farm.wake();
    const entries = new Map((await stackEntries(farm, [...new Set(asked.flat())])).map((entry) => [entry.id, entry]));
    // Begun in one go: what is merged onto the same state is merged by one git.
    const works = asked.map((ids) => ids.map((id) => entries.get(id)!));
    const answers = works.map((work) => stack.merge(work));
    const follow = async (work: readonly StackEntry[], at: number) => {
      await settle(farm, memory, stack, work, answers[at]!).finally(() => memory.merging.delete(name(asked[at]!)));
      // Of answers that come together the last one goes on: 32 merges onto a new head were 32 plans.
      const nth = ++memory.answers;
      await nextTick();
      if (nth === memory.answers) goOn(farm, memory);
    };
    await Promise.all(works.map(follow));
  } catch (error) {
    farm.log.warn({ error: (error as Error).message }, 'merges could not be computed');
    wakeAt(farm, farm.clock.awake() + AGAIN_MS);
  } finally {
    for (const chain of asked) memory.merging.delete(name(chain));
  }
}

const isTroubled = (farm: Farm, { troubled }: QueueMemory, chain: Chain) => (troubled.get(chain.at(-1)!)?.until ?? 0) > farm.clock.awake();

/** One at a time: what is asked for together fails together, and each by itself shows whose trouble it is. */
const alone = limiter(1);

async function settle(
  farm: Farm,
  memory: QueueMemory,
  stack: Stack,
  chain: readonly StackEntry[],
  merged: Promise<StackResult>,
): Promise<void> {
  const last = chain.at(-1)!;
  try {
    const result = await merged.catch(() => alone(() => stack.merge(chain)));
    await overIt(farm, memory, last);
    await memory.mending?.tell(last, stack.head, result);
  } catch (error) {
    // The daemon ends: what was called off is no trouble.
    if (memory.mending?.closed) return;
    await trouble(farm, memory, last, (error as Error).message);
    // The loop leaves it out.
    farm.wake();
  }
}

/** Asks for the merges that the plan lacks by now, as far as the last look at the queue is still true. */
function goOn(farm: Farm, memory: QueueMemory): void {
  const { seen, stack, notes } = memory;
  // The content that checks with paths look at in a new tree is for the loop to read.
  const isTrue = seen && stack && memory.head === seen.head && stack.of.head === seen.head;
  if (memory.mending?.closed) return;
  if (!isTrue || seen.checks.some(({ paths }) => paths)) {
    farm.wake();
    return;
  }
  const snapshot = { ...seen, stacked: stack.of.results(), running: runningNow(memory).planned, notes: notes ?? seen.notes };
  const plan = planQueue(snapshot);
  if (plan.stack.length === 0 || plan.checks.length > 0) farm.wake();
  if (plan.stack.length > 0) void askMerges(farm, memory, snapshot, plan.stack);
}

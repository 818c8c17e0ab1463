import type { QueuePlan } from '../../../src/queue/plan.ts';
import { type CheckSpec, chainKey, type QueueEntry, type QueueSnapshot } from '../../../src/queue/snapshot.ts';
import { alone, type Draft, draft, fill, inOrder, land, reject, type Verdict, verdictOf } from './verdict.ts';

type Wanted = { chain: number[]; tree: string; check: CheckSpec };

/**
 * Each entry is checked on top of all those ahead of it that do not fail (nearest-non-failing); the front one lands or is
 * rejected alone. As many are in the pipeline as there are slots.
 */
export function zuul(snapshot: QueueSnapshot): QueuePlan {
  const plan = draft(snapshot);
  const ahead: number[] = [];
  const tasks = new Set(snapshot.landedTasks);
  const wanted: Wanted[] = [];
  // The front one waits for nobody, so it alone is settled; an entry that fails leaves the front to the next.
  let front = true;
  for (const entry of inOrder(snapshot)) {
    if (wanted.length >= snapshot.slots) break;
    if (!entry.after.every((task) => tasks.has(task))) continue;
    const chain = [...ahead, entry.id];
    const verdict = look(snapshot, entry, chain, plan);
    if (verdict === 'ended' || plan.stack.length > 0) return plan;
    if (verdict === 'waits') continue;
    if (verdict.is === 'open') wanted.push({ chain, tree: verdict.tree, check: verdict.check });
    if (front && verdict.is === 'green') land(snapshot, plan, chain, verdict.tree);
    if (front && verdict.is === 'red') reject(snapshot, plan, entry.id, verdict);
    if (plan.land || plan.reject.length > 0) return plan;
    front = false;
    if (verdict.is === 'red') continue;
    ahead.push(entry.id);
    tasks.add(entry.task);
  }
  fill(snapshot, plan, wanted);
  return plan;
}

/** What is known of an entry behind those ahead. A conflict with one ahead only is none yet: it waits. */
function look(snapshot: QueueSnapshot, entry: QueueEntry, chain: number[], plan: Draft): Verdict | 'waits' | 'ended' {
  if (alone(snapshot, entry, plan) === undefined) return 'ended';
  const known = snapshot.stacked.get(chainKey(chain));
  if (!known) plan.stack.push(chain);
  if (known?.kind !== 'clean') return 'waits';
  return verdictOf(snapshot, chain, known.tree, snapshot.retries);
}

import type { QueuePlan } from '../../../src/queue/plan.ts';
import type { QueueSnapshot } from '../../../src/queue/snapshot.ts';
import { alone, draft, fill, inOrder, land, reject, verdictOf } from './verdict.ts';

/** One entry after the other, each checked on the head that it will land on. */
export function serial(snapshot: QueueSnapshot): QueuePlan {
  const plan = draft(snapshot);
  const ready = inOrder(snapshot).find((entry) => entry.after.every((task) => snapshot.landedTasks.has(task)));
  if (!ready) return plan;
  const tree = alone(snapshot, ready, plan);
  if (tree === undefined) return plan;
  const verdict = verdictOf(snapshot, [ready.id], tree, snapshot.retries);
  if (verdict.is === 'open') fill(snapshot, plan, [{ chain: [ready.id], tree, check: verdict.check }]);
  else if (verdict.is === 'green') land(snapshot, plan, [ready.id], tree);
  else reject(snapshot, plan, ready.id, verdict);
  return plan;
}

import type { QueuePlan } from '../../../src/queue/plan.ts';
import { type Chain, chainKey, type QueueSnapshot } from '../../../src/queue/snapshot.ts';
import { alone, type Draft, draft, fill, inOrder, land, reject, treeOf, verdictOf } from './verdict.ts';

/** One batch at a time; a red one is split into halves, which come first. The notes keep the batches, the running one in front. */
export function bors(snapshot: QueueSnapshot): QueuePlan {
  const plan = draft(snapshot);
  const open = new Set(snapshot.entries.map(({ id }) => id));
  const batches = snapshot.notes.segments.map((ids) => ids.filter((id) => open.has(id))).filter((ids) => ids.length > 0);
  if (batches.length === 0) {
    const batch = inOrder(snapshot).slice(0, snapshot.batch);
    if (batch.length > 0) batches.push(batch.map(({ id }) => id));
  }
  const [first, ...others] = batches;
  const chain = first && merged(snapshot, first, plan);
  const keep = (segments: readonly Chain[]) => (plan.notes = { ...snapshot.notes, segments });
  keep(chain && first ? [chain, ...others] : batches);
  if (!chain) return plan;
  // What does not merge with the rest of its batch, or needs what is not in it, goes back into the line.
  if (chain.length === 0) {
    keep(others);
    return plan;
  }
  const tree = treeOf(snapshot, chain)!;
  const verdict = verdictOf(snapshot, chain, tree, chain.length > 1 ? 0 : snapshot.retries);
  if (verdict.is === 'open') fill(snapshot, plan, [{ chain, tree, check: verdict.check }]);
  else if (verdict.is === 'green') land(snapshot, plan, chain, tree);
  else if (chain.length === 1) reject(snapshot, plan, chain[0]!, verdict);
  else {
    const half = Math.ceil(chain.length / 2);
    keep([chain.slice(0, half), chain.slice(half), ...others]);
    return bors({ ...snapshot, notes: plan.notes });
  }
  return plan;
}

/** The entries of a batch that stack; `undefined` while a merge is asked for or an entry is ended. */
function merged(snapshot: QueueSnapshot, batch: Chain, plan: Draft): Chain | undefined {
  const chain: number[] = [];
  const ahead = new Set(snapshot.landedTasks);
  for (const id of batch) {
    const entry = snapshot.entries.find((one) => one.id === id)!;
    if (!entry.after.every((task) => ahead.has(task))) continue;
    if (alone(snapshot, entry, plan) === undefined) return undefined;
    const known = snapshot.stacked.get(chainKey([...chain, id]));
    if (!known) {
      plan.stack.push([...chain, id]);
      return undefined;
    }
    if (known.kind !== 'clean') continue;
    chain.push(id);
    ahead.add(entry.task);
  }
  return chain;
}

import type { QueueEntry, QueueSnapshot } from './snapshot.ts';

/** Names the checks that an entry was green by: when they change, it is looked at again. */
export const judgedBy = ({ checks }: Pick<QueueSnapshot, 'checks'>, { own }: QueueEntry) =>
  [...new Set([...checks, ...own].map((check) => check.id))].sort().join(' ');

/** It was green alone on the head, and lacks nothing but the yes. */
export const lacksOnlyYes = (snapshot: QueueSnapshot, entry: QueueEntry) =>
  entry.awaitsYes && snapshot.notes.green?.[entry.id] === judgedBy(snapshot, entry);

/** It is green, and a person is to say yes to it: one that waits for a review is not for them yet. */
export const asksPerson = (snapshot: QueueSnapshot, entry: QueueEntry) => lacksOnlyYes(snapshot, entry) && entry.review === undefined;

export function greenFromNotes(snapshot: QueueSnapshot, open: ReadonlyMap<number, QueueEntry>): Map<number, string> {
  const found = [...open.values()].filter((entry) => lacksOnlyYes(snapshot, entry));
  return new Map(found.map((entry) => [entry.id, judgedBy(snapshot, entry)]));
}

/** The sentence that asks for it. */
export function asksForYes({ checks }: Pick<QueueSnapshot, 'checks'>, { task, own, review }: QueueEntry): string {
  const name = task.slice(task.indexOf('/') + 1);
  const seen = checks.length + own.length > 0 ? 'passed its checks' : 'not checked (furrow.yaml has no checks)';
  if (review) return `${seen}; ${review.text}`;
  return `${seen}; waits for your approval: furrow diff ${name}, then furrow approve ${name}`;
}

import type { QueueEntry, QueueSnapshot } from './snapshot.ts';

/** A key for the checks by which an entry was green: when they change, it is looked at again. */
export const judgedBy = ({ checks }: Pick<QueueSnapshot, 'checks'>, { own }: QueueEntry) =>
  [...new Set([...checks, ...own].map((check) => check.id))].sort().join(' ');

/** True when it was green alone on the head and waits only for the yes. */
export const lacksOnlyYes = (snapshot: QueueSnapshot, entry: QueueEntry) =>
  entry.awaitsYes && snapshot.notes.green?.[entry.id] === judgedBy(snapshot, entry);

/** True when it is green and a person must say yes; not while it waits for a review. */
export const asksPerson = (snapshot: QueueSnapshot, entry: QueueEntry) => lacksOnlyYes(snapshot, entry) && entry.review === undefined;

export function greenFromNotes(snapshot: QueueSnapshot, open: ReadonlyMap<number, QueueEntry>): Map<number, string> {
  const found = [...open.values()].filter((entry) => lacksOnlyYes(snapshot, entry));
  return new Map(found.map((entry) => [entry.id, judgedBy(snapshot, entry)]));
}

/** The sentence that asks for the yes. */
export function asksForYes({ checks }: Pick<QueueSnapshot, 'checks'>, { task, own, review }: QueueEntry): string {
  const name = task.slice(task.indexOf('/') + 1);
  const seen = checks.length + own.length > 0 ? 'passed its checks' : 'not checked (furrow.yaml has no checks)';
  if (review) return `${seen}; ${review.text}`;
  return `${seen}; waits for your approval: furrow diff ${name}, then furrow approve ${name}`;
}

import { parseTask } from '../../../work/task/parse.ts';
import { hashOf } from '../../../work/task/scan.ts';
import type { Want } from '../../../work/task/store.ts';
import type { Written } from './arguments.ts';

/** The words of a file in which an order is carried out. */
interface Wanted {
  readonly want: Want;
  /** In the board's own words. */
  readonly status: string;
  readonly claim: Written['claim'];
}

/**
 * Finds an order, or the first notes of it, in a file that is not the one that the store knows: a daemon had written it, and was killed or had
 * no room before that was stored. `undefined`: the file says nothing of it, so somebody else has changed it.
 */
export function findWritten(text: string, file: string, { want, status, claim }: Wanted): Written | undefined {
  const parsed = parseTask(text, file);
  if (!parsed.ok) return undefined;
  const { task } = parsed;
  const notes = want.notes.filter((note) => text.includes(note));
  const isWhole =
    notes.length === want.notes.length &&
    (!want.status || task.status === status) &&
    (claim === undefined || task.claimedBy === claim.by) &&
    (want.blocked === undefined || want.blocked === (task.blocked ? (task.blockReason ?? '') : null));
  if (!isWhole && notes.length === 0) return undefined;
  return {
    hash: hashOf(Buffer.from(text)),
    status: task.status,
    updated: task.updated,
    claim: { by: task.claimedBy, at: task.claimedAt },
    found: isWhole ? want : { notes },
  };
}

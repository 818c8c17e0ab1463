import { wasWorkedOn } from './file-change.ts';
import { refOf } from './id.ts';
import type { Quarantined } from './layout.ts';
import type { ScannedTask } from './scan.ts';
import type { Task } from './store.ts';

/** The result of matching files with tasks of the store. */
export interface Matched {
  /** The rows with their files, changed or not: at the same place, or moved from another. */
  readonly known: readonly { readonly row: Task; readonly file: ScannedTask }[];
  readonly added: readonly ScannedTask[];
  /** Rows whose file is not there any more. */
  readonly gone: readonly Task[];
  /** Files that would start a second life of a task that was worked on. */
  readonly refused: readonly Quarantined[];
}

/**
 * A task keeps its ref for ever; its phase is the folder of its file. A file that moved to another phase is found by id, `created` and
 * title. A mere copy is not worked on: a person must say that it is another task.
 */
export function matchFiles(all: readonly Task[], files: readonly ScannedTask[], broken: ReadonlySet<string>): Matched {
  // Errands have no file; a file with the name of an errand is refused below.
  const rows = all.filter((row) => row.purpose === 'work');
  const places = new Map(rows.map((row) => [refOf(row.phase, row.id), row]));
  const known: { row: Task; file: ScannedTask }[] = [];
  const strange: { row: Task | undefined; file: ScannedTask }[] = [];
  for (const file of files) {
    const row = places.get(file.ref);
    places.delete(file.ref);
    if (row && keyOf(row) === keyOf(file)) known.push({ row, file });
    else strange.push({ row, file });
  }
  const gone = new Set(places.values());
  if (strange.length === 0) return { known, added: [], gone: missing(gone, broken), refused: [] };

  const lost = new Map([...gone].filter(wasWorkedOn).map((row) => [keyOf(row), row]));
  const there = new Map(known.filter(({ row }) => wasWorkedOn(row)).map(({ row }) => [keyOf(row), row]));
  const names = new Map(all.map((row) => [row.ref, row]));
  const added: ScannedTask[] = [];
  const refused: Quarantined[] = [];
  const refuse = (file: ScannedTask, reason: string) => refused.push({ file: file.file, line: 1, reason, ref: null });
  for (const { row, file } of strange) {
    const before = lost.get(keyOf(file));
    const copied = there.get(keyOf(file));
    if (row && !before) known.push({ row, file });
    else if (row) refuse(file, `is task ${before!.ref}, but ${file.phase} has a task ${file.id} of its own: give it another id`);
    else if (before) {
      gone.delete(before);
      lost.delete(keyOf(file));
      known.push({ row: before, file });
    } else if (copied)
      refuse(file, `is a copy of task ${copied.ref}, which was worked on: change its title or its \`created\` to make it another task`);
    else if (names.get(file.ref)?.purpose !== undefined && names.get(file.ref)?.purpose !== 'work')
      refuse(file, `${file.id} is the id of a ${names.get(file.ref)!.purpose} of furrow's: give this task another id`);
    else if (names.has(file.ref)) refuse(file, `${file.ref} was moved to ${names.get(file.ref)!.phase}: give this one another id`);
    else added.push(file);
  }
  return { known, added, gone: missing(gone, broken), refused };
}

const keyOf = ({ id, created, title }: Pick<Task, 'id' | 'created' | 'title'>) => `${id} ${created} ${title}`;

/** A file that is only unreadable now is not missing. */
function missing(rows: Iterable<Task>, broken: ReadonlySet<string>): Task[] {
  return [...rows].filter((row) => row.missing === null && !broken.has(refOf(row.phase, row.id)));
}

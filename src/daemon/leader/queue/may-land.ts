import { TREE } from '../../../repo/merge/file-modes.ts';
import { entriesById } from '../../../work/entry/read.ts';
import { noteChange } from '../../../work/entry/store.ts';
import { askedAtSubmit } from '../../../work/entry/submitter.ts';
import type { LandArgs } from '../../acts/land/arguments.ts';
import type { Farm } from '../../farm/farm.ts';
import { awaitsYes } from './approval.ts';

/**
 * Checks the rules again before a landing, on its trees: if the target renamed a folder, a file lands at a path that the branch never had,
 * and that path may need a yes. False: it does, and the entry has been updated.
 */
export async function mayLand(farm: Farm, headTree: string, { steps }: Pick<LandArgs, 'steps'>): Promise<boolean> {
  const trees = [headTree, ...steps.map(({ tree }) => tree)];
  const made = await farm.git.changes(steps.map(({ tree }, at) => ({ before: trees[at]!, after: tree })));
  const rows = new Map(
    (
      await entriesById(
        farm.db,
        steps.map(({ entry }) => entry),
      )
    ).map((row) => [row.id, row]),
  );
  const tasks = await farm.tasks();
  let may = true;
  for (const [at, { entry }] of steps.entries()) {
    const row = rows.get(entry);
    const known = JSON.parse(row?.paths ?? '[]') as string[];
    const has = new Set(known);
    const more = made[at]!.filter(({ path, mode }) => mode !== TREE && !has.has(path)).map(({ path }) => path);
    if (!row || more.length === 0) continue;
    const paths = [...known, ...more];
    await noteChange(farm.db, entry, paths, askedAtSubmit(row));
    if (awaitsYes(farm.config, { ...row, paths: JSON.stringify(paths) }, tasks.row(row.task))) may = false;
  }
  return may;
}

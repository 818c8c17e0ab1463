import type { In } from '../../api/contract.ts';
import { FurrowError } from '../../platform/error.ts';
import { readBlobs } from '../../platform/git/blobs.ts';
import { sinceTarget } from '../../repo/merge/since-target.ts';
import { firstLine, linesNamed } from '../../tell/face/review-text.ts';
import type { Entry } from '../../work/entry/store.ts';
import { splitRef } from '../../work/task/id.ts';
import type { Farm } from '../farm/farm.ts';
import { targetOf } from '../farm/target-of.ts';

type LineComment = NonNullable<In<'reject'>['comments']>[number];

/** Refuses comments whose lines are other ones in the commit that goes back: an agent would mend the wrong place. */
export async function assertInPlace(farm: Farm, entry: Entry, comments: readonly LineComment[]): Promise<void> {
  const onLines = comments.filter(({ line }) => line !== null);
  if (onLines.length === 0) return;
  const base = onLines.some(({ side }) => side === 'old') ? await sinceTarget(farm.repo, targetOf(entry, farm), entry.sha) : '';
  const names = onLines.map(({ side, path }) => `${side === 'old' ? base : entry.sha}:${path}`);
  const distinct = [...new Set(names)];
  const blobs = await readBlobs(farm.repo, { git: {} }, distinct);
  const files = new Map(distinct.map((name, at) => [name, blobs[at]?.toString('utf8').split('\n')]));
  for (const [at, { path, line, quote }] of onLines.entries()) {
    if (line === null) continue;
    const there = files.get(names[at]!)?.slice(Math.max(0, firstLine(line, quote) - 1), line);
    if (there?.join('\n') === quote) continue;
    const { id } = splitRef(entry.task);
    throw new FurrowError('MISPLACED', `${path}:${linesNamed(line, quote)} is not what you commented on, so nothing was sent`, {
      hint: `furrow diff ${id}`,
    });
  }
}

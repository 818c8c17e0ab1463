import { constants } from 'node:fs';
import { join } from 'node:path';
import { readSmall } from '../files.ts';

/** Names that are only a ref: git must work out `main~1` or `main@{1}`. */
const NAME = /^refs\/(?:heads|furrow)(?:\/[\w+=,#%-][\w.+=,#%-]*)+$/;
/** Names that git does not accept as refs. `….lock` is the file where git writes the next value. */
const NO_NAME = /\.lock(?:\/|$)|\.\.|\.(?:\/|$)/;
/** The content of a ref's file: an id, and no `ref: …`. */
export const VALUE = /^(?:[0-9a-f]{40}|[0-9a-f]{64})\n$/;

/**
 * The value of a ref that has a file of its own, where git looks first. `undefined`: it has none (it is packed, in a reftable, or not
 * there), or only git should read it.
 */
export function looseValue(gitDir: string, ref: string): string | undefined {
  if (!NAME.test(ref) || NO_NAME.test(ref)) return undefined;
  const text = readSmall(join(gitDir, ref), constants.O_NOFOLLOW) ?? '';
  return VALUE.test(text) ? text.trimEnd() : undefined;
}

import { closeSync, constants, openSync, readSync } from 'node:fs';
import { join } from 'node:path';

/** Names that are a ref and nothing more: `main~1` or `main@{1}` is for git to work out. */
const NAME = /^refs\/(?:heads|furrow)(?:\/[\w+=,#%-][\w.+=,#%-]*)+$/;
/** Names that git takes for no ref; the first of them is where it writes the next value. */
const NO_NAME = /\.lock(?:\/|$)|\.\.|\.(?:\/|$)/;
const VALUE = /^(?:[0-9a-f]{40}|[0-9a-f]{64})\n$/;

/** An agent may have put anything there: no link is followed, no pipe waited for. */
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

const page = Buffer.allocUnsafeSlow(80);

/**
 * The value of a ref that has a file of its own, which is the place where git looks first. `undefined`: it has none (it is packed, in a
 * reftable, or not there), or one that only git should read.
 */
export function looseValue(gitDir: string, ref: string): string | undefined {
  if (!NAME.test(ref) || NO_NAME.test(ref)) return undefined;
  let fd: number | undefined;
  try {
    fd = openSync(join(gitDir, ref), READ);
    const text = page.toString('latin1', 0, readSync(fd, page, 0, page.length, 0));
    return VALUE.test(text) ? text.trimEnd() : undefined;
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

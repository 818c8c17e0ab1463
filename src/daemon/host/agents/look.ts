import { lstatSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import type { Look } from '../../../agents/agent/permission/path.ts';
import { isErrno } from '../../../platform/error.ts';

/** As many links as Linux follows. */
const LINKS = 40;

/** The file system as it is now. It is asked for a few paths a request, and an answer that comes later would be about another state. */
export const fileLook: Look = {
  // A circle of links, a folder that may not be read: nobody knows where it leads.
  real: (path) => orUndefined(() => realPath(path, LINKS)),
  list: (folder) => orUndefined(() => readdirSync(folder)),
};

function orUndefined<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}

/** Undefined: `..` leads to the parent of where a link leads, and what is not there leads nowhere yet. */
function realPath(path: string, links: number): string | undefined {
  try {
    // The other one takes `..` away before it follows links.
    return realpathSync.native(path);
  } catch (error) {
    if (!isErrno(error, 'ENOENT') && !isErrno(error, 'ENOTDIR')) throw error;
  }
  const name = basename(path);
  if (name === '..' || path === '/' || links === 0) return undefined;
  const folder = realPath(dirname(path), links);
  if (folder === undefined) return undefined;
  const here = join(folder, name);
  // A link to what is not there yet: a write through it makes the file.
  const isLink = lstatSync(here, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  if (!isLink) return here;
  const text = readlinkSync(here);
  return realPath(isAbsolute(text) ? text : `${folder}/${text}`, links - 1);
}

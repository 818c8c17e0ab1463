import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats } from 'node:fs';
import { basename, join } from 'node:path';
import { FurrowError } from '../error.ts';
import { placesOf } from '../places.ts';
import { quotedIfNeeded } from '../shell.ts';
import { VALUE } from './loose-ref.ts';
import type { Repo } from './run.ts';
import { discard } from './trash.ts';

/** Names of refs that only furrow makes, and nothing more: not `…^{commit}`, not `…@{1}`. */
const OWN = /^refs\/(?:heads\/furrow|furrow)\/[^\0-\x20~^:?*[\\\x7f]+$/;

export const isOwnRef = (name: string): boolean => OWN.test(name) && !/\.\.|@\{/.test(name);

/** Something at the place of a ref of ours, or on the path to it, that no git of ours would have put there. */
export interface Planted {
  readonly path: string;
  /** As the end of a sentence: "a named pipe". */
  readonly what: string;
  /** A plain file with a second hard link. */
  readonly twin?: true;
}

const PLANTED_REF = 'PLANTED_REF';

export function plantedError({ path, what }: Planted): FurrowError {
  return new FurrowError(PLANTED_REF, `${path} is ${what}, which furrow did not make and does not follow`, {
    hint: `ls -l ${quotedIfNeeded(path)}`,
  });
}

/**
 * Looks at a ref without git, because git follows links and symbolic refs and waits at a named pipe for ever. Agents may write in the
 * folder of their own branches: `ref: refs/heads/main` there would make our git move, read or delete the person's branch.
 */
export function plantedAt(gitDir: string, ref: string): Planted | undefined {
  const { path, found } = walk(gitDir, ref);
  if (!found || found.isDirectory()) return undefined;
  if (!found.isFile()) return { path, what: kindOf(found) };
  // In a reftable repository `refs/heads` is a file.
  return path === join(gitDir, ref) ? contentOf(path, isOwnRef(ref)) : undefined;
}

const SYMBOLIC = /^a symbolic ref to (refs\/.+)$/;

/** The ref that a symbolic ref names, found in the same way. */
export const symbolicAt = (gitDir: string, ref: string): string | undefined => SYMBOLIC.exec(plantedAt(gitDir, ref)?.what ?? '')?.[1];

/** Looks in the same way at its reflog, which git writes in place, through links of every kind. */
export function plantedLog(gitDir: string, ref: string): Planted | undefined {
  const { path, found } = walk(gitDir, `logs/${ref}`);
  if (!found || found.isDirectory()) return undefined;
  if (!found.isFile()) return { path, what: kindOf(found) };
  return found.nlink === 1 ? undefined : { path, what: 'a file with another name elsewhere', twin: true };
}

/** The first part of the path to a ref that is no folder; without `found` nothing is there. */
function walk(base: string, ref: string): { path: string; found: Stats | undefined } {
  let [path, found] = [base, undefined as Stats | undefined];
  for (const part of ref.split('/')) {
    path = join(path, part);
    found = lstatSync(path, { throwIfNoEntry: false });
    if (!found?.isDirectory()) break;
  }
  return { path, found };
}

export function kindOf(found: Stats): string {
  if (found.isSymbolicLink()) return 'a link';
  if (found.isFIFO()) return 'a named pipe';
  if (found.isSocket()) return 'a socket';
  return found.isDirectory() ? 'a folder' : 'a device';
}

/** The content of a ref that a person wrote by hand and that git accepts as an id. */
const BY_HAND = /^(?:[0-9a-f]{40}|[0-9a-f]{64})\s*$/;

function contentOf(path: string, own: boolean): Planted | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const page = Buffer.alloc(1024);
    const text = fstatSync(fd).isFile() ? page.toString('latin1', 0, readSync(fd, page, 0, page.length, 0)) : '';
    if (VALUE.test(text) || (!own && BY_HAND.test(text))) return undefined;
    const to = /^ref:\s*(\S*)/.exec(text)?.[1];
    return { path, what: to === undefined ? 'a file that holds no id' : `a symbolic ref to ${to}` };
  } catch {
    // It is gone or replaced, or we may not read it: git reports what is there.
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/**
 * Moves what was planted in the place of a ref into the trash, without opening it, and says what it was. It holds no commit. If it replaces
 * the whole folder, a person must repair it: all of furrow's refs may be behind it.
 */
export async function putPlantedAway(repo: Repo, ref: string): Promise<Planted | undefined> {
  const planted = plantedAt(repo.gitDir, ref);
  if (planted && !isOwnRef(planted.path.slice(repo.gitDir.length + 1))) throw plantedError(planted);
  if (planted) await discard(planted.path, placesOf(repo.root).trash, `planted-${basename(planted.path)}`);
  return planted;
}

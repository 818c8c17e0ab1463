import { constants, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSmall } from '../../files.ts';
import { looseValue } from '../loose-ref.ts';
import { fingerprintOf } from './fresh.ts';

interface FoundRef {
  readonly ref: string;
  readonly oid: string;
}

/** Names that are refs beyond doubt. Git judges any other. */
const NAME = /^refs\/(?:heads\/)?furrow(?:\/[\w+=,#%-][\w.+=,#%-]*)+$/;
const PLAIN = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const MOST_PACKED = 16 * 1024 * 1024;

/**
 * The refs of ours at or below a name, read from git's own files. `undefined`: only git can tell, because a file there is not as git writes
 * it, or because the refs are stored elsewhere.
 */
export function ownRefs(gitDir: string, below: string): FoundRef[] | undefined {
  try {
    return readOwnRefs(gitDir, below);
  } catch {
    // The folder was removed while we read it.
    return undefined;
  }
}

function readOwnRefs(gitDir: string, below: string): FoundRef[] | undefined {
  const name = below.replace(/\/$/, '');
  if (name !== 'refs/furrow' && name !== 'refs/heads/furrow' && !NAME.test(name)) return undefined;
  if (lstatSync(join(gitDir, 'reftable'), { throwIfNoEntry: false })) return undefined;
  // Loose refs first: a ref that git packs in between is then found in the packed ones.
  const loose = looseBelow(gitDir, name);
  const packed = loose && packedRefs(gitDir);
  if (!packed) return undefined;
  const all = new Map<string, string>();
  for (const { ref, oid } of packed) if (ref === name || ref.startsWith(`${name}/`)) all.set(ref, oid);
  for (const { ref, oid } of loose) all.set(ref, oid);
  if (below.endsWith('/')) all.delete(name);
  return [...all].map(([ref, oid]) => ({ ref, oid })).sort((a, b) => (a.ref < b.ref ? -1 : 1));
}

function looseBelow(gitDir: string, name: string): FoundRef[] | undefined {
  const found = lstatSync(join(gitDir, name), { throwIfNoEntry: false });
  if (!found) return [];
  if (found.isFile()) {
    const oid = looseValue(gitDir, name);
    return oid === undefined ? undefined : [{ ref: name, oid }];
  }
  if (!found.isDirectory()) return undefined;
  const all: FoundRef[] = [];
  for (const entry of readdirSync(join(gitDir, name))) {
    if (entry.endsWith('.lock')) continue;
    const inner = NAME.test(`${name}/${entry}`) ? looseBelow(gitDir, `${name}/${entry}`) : undefined;
    if (!inner) return undefined;
    all.push(...inner);
  }
  return all;
}

let last: { readonly path: string; readonly fingerprint: string | undefined; readonly refs: readonly FoundRef[] } | undefined;

/** The refs of ours in `packed-refs`, read again when it has changed: git replaces it by a rename. */
function packedRefs(gitDir: string): readonly FoundRef[] | undefined {
  const path = join(gitDir, 'packed-refs');
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return [];
  if (!found.isFile() || found.size > MOST_PACKED) return undefined;
  const fingerprint = fingerprintOf(path);
  if (fingerprint !== undefined && last?.path === path && last.fingerprint === fingerprint) return last.refs;
  const refs: FoundRef[] = [];
  for (const line of readFileSync(path, { encoding: 'latin1', flag: PLAIN }).split('\n')) {
    const ref = line.slice(line.indexOf(' ') + 1);
    if (!ref.startsWith('refs/furrow/') && !ref.startsWith('refs/heads/furrow/')) continue;
    const oid = line.slice(0, line.indexOf(' '));
    if (!/^[0-9a-f]{40,64}$/.test(oid) || !NAME.test(ref)) return undefined;
    refs.push({ ref, oid });
  }
  last = { path, fingerprint, refs };
  return refs;
}

/** True when a ref is not there: it has no file and is not packed. Git too reads both anew for every name. */
export function isAbsent(gitDir: string, ref: string): boolean {
  if (lstatSync(join(gitDir, 'reftable'), { throwIfNoEntry: false })) return false;
  const found = lstatSync(join(gitDir, ref), { throwIfNoEntry: false });
  if (found && !found.isDirectory()) return false;
  const packed = lstatSync(join(gitDir, 'packed-refs'), { throwIfNoEntry: false });
  if (!packed) return true;
  if (!packed.isFile() || packed.size > MOST_PACKED) return false;
  return !readFileSync(join(gitDir, 'packed-refs'), { encoding: 'utf8', flag: PLAIN }).includes(` ${ref}\n`);
}

/** The branch that HEAD of a git folder names, when both are plain files. `undefined`: only git can tell. */
export function headBranch(gitDir: string, head: string): string | undefined {
  const branch = /^ref: (refs\/heads\/[\w./+=,#%-]+)\n$/.exec(readSmall(head, constants.O_NOFOLLOW) ?? '')?.[1];
  if (branch === undefined || /\.invalid$/.test(branch)) return undefined;
  const plain = looseValue(gitDir, branch) !== undefined || !lstatSync(join(gitDir, branch), { throwIfNoEntry: false });
  return plain ? branch : undefined;
}

import { type GitOptions, git, type Repo } from '../../platform/git/run.ts';

/** The paths that one side of a merge touches. A rename is its two paths. */
export interface Paths {
  readonly files: ReadonlySet<string>;
  /** The paths that no longer exist, renamed ones included. */
  readonly gone: ReadonlySet<string>;
  /** All folders above them. */
  readonly folders: ReadonlySet<string>;
  /** Folders that became empty: git may take them for renamed, and moves along what the other side adds there. */
  readonly removed: ReadonlySet<string>;
}

export const NO_PATHS: Paths = { files: new Set(), gone: new Set(), folders: new Set(), removed: new Set() };

/** A commit, and the one it is compared with. */
export interface Since {
  readonly commit: string;
  readonly base: string;
}

/** The paths of all of them in this order, by one git. */
export async function pathsOf(repo: Repo, pairs: readonly Since[], options: GitOptions): Promise<Paths[]> {
  if (pairs.length === 0) return [];
  const input = pairs.map(({ commit, base }) => `${commit} ${base}\n`).join('');
  // `-t` names folders, too; `--always` an unchanged commit.
  const how = ['--stdin', '--always', '-r', '-t', '-z', '--raw', '--no-renames', '--no-ext-diff', '--no-textconv'];
  const fields = (await git(repo, ['diff-tree', ...how], { ...options, input })).split('\0');
  const lists: [change: string, path: string][][] = [];
  for (let i = 0; fields[i]; i++) {
    const field = fields[i] ?? '';
    if (field.startsWith(':')) lists.at(-1)?.push([field, fields[++i] ?? '']);
    else lists.push([]);
  }
  if (lists.length !== pairs.length) throw new Error(`diff-tree compared ${lists.length} of ${pairs.length} commits`);
  return lists.map(readPaths);
}

const WAS_FOLDER = ':040000 ';

function readPaths(changes: readonly (readonly [change: string, path: string])[]): Paths {
  const [files, gone, folders, removed] = [new Set<string>(), new Set<string>(), new Set<string>(), new Set<string>()];
  for (const [change, path] of changes) {
    const isFolder = change.startsWith(WAS_FOLDER) || change.slice(8, 14) === '040000';
    if (isFolder) folders.add(path);
    else files.add(path);
    if (change.endsWith(' D')) (isFolder ? removed : gone).add(path);
  }
  return { files, gone, folders, removed };
}

/**
 * True when merging two sides can conflict at all. It cannot when they share no path, neither has a file where the other has a folder, and
 * neither works in a folder that the other removed (or renamed, which git calls removed and added).
 */
export function mayClash(a: Paths, b: Paths): boolean {
  return (
    meet(a.files, b.files) ||
    meet(a.files, b.folders) ||
    meet(a.folders, b.files) ||
    meet(a.removed, b.folders) ||
    meet(a.folders, b.removed)
  );
}

/** True when one side may work on a file that the other has moved: there its changes have another name. */
export function wasMoved(own: Paths, other: Paths): boolean {
  return meet(own.files, other.gone) || meet(own.folders, other.removed);
}

function meet(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  const [small, large] = a.size <= b.size ? [a, b] : [b, a];
  for (const path of small) if (large.has(path)) return true;
  return false;
}

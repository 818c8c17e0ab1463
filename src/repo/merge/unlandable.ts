import { git, type Repo, tryGit } from '../../platform/git/run.ts';
import { type Change, type Step, treeNames } from './changes.ts';
import { GITLINK, LINK, TREE } from './file-modes.ts';

/** A step, and how its two trees differ. */
interface Look {
  readonly step: Step;
  readonly changes: readonly Change[];
}

/**
 * The reasons why merges that git calls clean may still not land: names that git would not check out, names that another machine cannot
 * tell apart, a submodule that nobody can fetch. It looks only at additions, so the size of the repository does not matter, and what the
 * target already has is not held against anyone.
 */
export async function refusals(repo: Repo, looks: readonly Look[]): Promise<(string | undefined)[]> {
  const folders = looks.map(grownFolders);
  const trees = [...new Set(folders.flatMap((list) => list.flatMap(({ tree }) => tree ?? [])))];
  const names = await treeNames(repo, trees);
  const listed = new Map(trees.map((tree, at) => [tree, names[at]!]));
  return Promise.all(looks.map(async (look, at) => badNames(look) ?? twins(folders[at]!, listed) ?? (await looseSubmodule(repo, look))));
}

function badNames({ changes }: Look): string | undefined {
  for (const { path, mode } of changes.filter(isAdded)) {
    const why = badName(nameOf(path), mode);
    if (why) return `adds ${quoted(path)}, which ${why}`;
  }
  return undefined;
}

/** A folder that got new names. A wholly new folder is compared with itself, any other with the list of its tree. */
interface Grown {
  readonly folder: string;
  readonly added: readonly string[];
  readonly fresh: boolean;
  readonly tree: string | undefined;
}

function grownFolders({ step, changes }: Look): Grown[] {
  const folders = changes.filter(({ mode }) => mode === TREE);
  const trees = new Map([['', step.after], ...folders.map(({ path, oid }) => [path, oid] as const)]);
  const fresh = new Set(folders.filter(isAdded).map(({ path }) => path));
  const byFolder = Map.groupBy(changes.filter(isAdded), ({ path }) => folderOf(path));
  return [...byFolder].map(([folder, here]) => {
    const whole = fresh.has(folder);
    return { folder, added: here.map(({ path }) => nameOf(path)), fresh: whole, tree: whole ? undefined : trees.get(folder) };
  });
}

function twins(folders: readonly Grown[], listed: ReadonlyMap<string, readonly string[]>): string | undefined {
  for (const { folder, added, fresh, tree } of folders) {
    const path = (name: string) => quoted(folder === '' ? name : `${folder}/${name}`);
    const names = fresh ? added : listed.get(tree ?? '');
    if (!names) return `adds ${path(added[0]!)}, which is a name with a slash inside`;
    const pair = collision(names, new Set(added));
    if (pair) return `adds ${path(pair[1])} beside ${path(pair[0])}: where names ignore case or Unicode form they are one`;
  }
  return undefined;
}

async function looseSubmodule(repo: Repo, { step, changes }: Look): Promise<string | undefined> {
  const links = changes.filter((change) => isAdded(change) && change.mode === GITLINK);
  if (links.length === 0) return undefined;
  const known = await submodulePaths(repo, step.after);
  const loose = links.find(({ path }) => !known.has(path));
  return loose && `adds ${quoted(loose.path)} as a submodule without an entry in .gitmodules: nobody could fetch it`;
}

async function submodulePaths(repo: Repo, tree: string): Promise<Set<string>> {
  const has = await git(repo, ['ls-tree', '-z', tree, '--', '.gitmodules']);
  if (!/^100\d+ blob /.test(has)) return new Set();
  // Exit 1: it names none. A file that git cannot read names none either.
  const args = ['config', '--blob', `${tree}:.gitmodules`, '-z', '--get-regexp', '^submodule\\..*\\.path$'];
  const done = await tryGit(repo, args);
  return new Set(done.stdout.split('\0').map((item) => item.slice(item.indexOf('\n') + 1)));
}

const isAdded = ({ status }: Change) => status === 'A';
const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);
const folderOf = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf('/')));

/** Shows look-alike names by their code points. */
const quoted = (path: string) =>
  JSON.stringify(path).replace(/[^\x20-\x7e]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Characters that HFS+ ignores when it compares names: there `.g‌it` with one of them inside is `.git`. */
const IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/gu;

/** A name as file systems without case and Unicode form compare it. Upper case first: it joins `ſ`, `K` and `ß` to their letters. */
export function folded(name: string): string {
  // Nearly all names: 50,000 in one folder take 6 ms this way and 50 the other.
  if (/^[ -~]*$/.test(name)) return name.toLowerCase();
  return name.normalize('NFD').replace(IGNORED, '').toUpperCase().toLowerCase().normalize('NFC');
}

/** The reason why git itself would refuse to check out a file or folder of this name anywhere, or `undefined`. */
export function badName(name: string, mode: string): string | undefined {
  if (name === '' || name === '.' || name === '..') return 'is no name for a file';
  const bare = name.replace(IGNORED, '');
  // On NTFS a name ends at a colon, and trailing dots and spaces do not count; `GIT~1` is its short form of `.git`.
  if (/^(\.git|git~1)[ .]*($|[:\\])/i.test(bare)) return "is the repository's own folder to git";
  if (mode === LINK && /^\.git(modules|attributes|ignore)$/i.test(bare)) return 'is a symbolic link, which git refuses for this name';
  return undefined;
}

/** Two names in a folder that some file systems cannot tell apart, at least one of them new; the new one last. */
export function collision(names: readonly string[], added: ReadonlySet<string>): readonly [string, string] | undefined {
  const fresh = new Map<string, string>();
  for (const name of added) {
    const other = fresh.get(folded(name));
    if (other !== undefined) return [other, name];
    fresh.set(folded(name), name);
  }
  for (const name of names) {
    const twin = fresh.get(folded(name));
    if (twin !== undefined && twin !== name) return [name, twin];
  }
  return undefined;
}

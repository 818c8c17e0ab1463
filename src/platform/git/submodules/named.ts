import { type GitOptions, git, type Repo, tryGit } from '../run.ts';

/** A submodule that a tree names: a commit at a path, and the name under which its repository is kept. */
export interface Named {
  readonly path: string;
  readonly commit: string;
  readonly name: string;
}

interface NamedOf {
  readonly good: readonly Named[];
  /** Paths of those that furrow does not follow, with the reason. */
  readonly refused: readonly { readonly path: string; readonly why: string }[];
}

/** The submodules of a commit, by the links of its tree and its `.gitmodules`. Anybody can have written both. */
export async function submodulesOf(repo: Repo, commit: string, options: GitOptions): Promise<NamedOf> {
  const tree = await git(repo, ['ls-tree', '-r', '-z', '--full-tree', commit], options);
  const links = tree.split('\0').filter((line) => line.startsWith('160000 '));
  if (links.length === 0) return { good: [], refused: [] };
  const args = ['config', '--blob', `${commit}:.gitmodules`, '-z', '--get-regexp', '^submodule\\..*\\.path$'];
  const lines = (await tryGit(repo, args, options)).stdout.split('\0').filter(Boolean);
  const names = new Map(lines.map((line) => [line.slice(line.indexOf('\n') + 1), nameIn(line)]));
  const all = links.map((line) => ({ path: line.slice(line.indexOf('\t') + 1), commit: line.split(/\s/, 3)[2]! }));
  const judged = all.map((one) => ({ ...one, name: names.get(one.path) ?? '', why: whyNot(one.path, names.get(one.path)) }));
  const twice = (name: string) => judged.filter((one) => one.name === name).length > 1;
  return {
    good: judged
      .filter(({ why, name }) => why === undefined && !twice(name))
      .map(({ path, commit: at, name }) => ({ path, commit: at, name })),
    refused: judged.flatMap(({ path, why, name }) => {
      if (why !== undefined) return [{ path, why }];
      return twice(name) ? [{ path, why: 'another submodule has its name' }] : [];
    }),
  };
}

const nameIn = (line: string) => line.slice('submodule.'.length, line.indexOf('\n')).replace(/\.path$/, '');

/** A name and a path become folders: one that leads out of them, into a `.git`, or that a program could read as an option, is not followed. */
function whyNot(path: string, name: string | undefined): string | undefined {
  if (name === undefined) return '.gitmodules does not name it';
  if (!isPlain(path)) return 'its path is not plain';
  return isPlain(name) ? undefined : 'its name is not plain';
}

const STRANGE = /[\x00-\x1f\x7f\\]/;

function isPlain(text: string): boolean {
  const parts = text.split('/');
  return !STRANGE.test(text) && parts.every((part) => part !== '' && part !== '.' && part !== '..' && !/^(-|\.git$|git~\d)/i.test(part));
}

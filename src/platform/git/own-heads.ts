import { isBelow, placesOf } from '../places.ts';
import { linkedWorktrees } from './admin.ts';
import { areConnected } from './connected.ts';
import { commitTree } from './objects.ts';
import { type RefValue, resolve } from './refs.ts';
import { ownRoots } from './repair.ts';
import { git, type Repo } from './run.ts';

/** The HEAD of a worktree of ours that is on no branch, by the name that every git understands. */
export interface OwnHead extends RefValue {
  readonly path: string;
  /** It is a check slot: it holds no work, and another commit is checked out before each check. */
  readonly slot: boolean;
}

export async function ownHeads(repo: Repo): Promise<OwnHead[]> {
  const [roots, { slots }] = [ownRoots(repo), placesOf(repo.root, repo.home)];
  return (await linkedWorktrees(repo)).flatMap(({ name, path, head }) => {
    if (!path || !roots.some((root) => isBelow(path, root)) || !/^[0-9a-f]{40,64}$/.test(head)) return [];
    return [{ ref: `worktrees/${name}/HEAD`, oid: head, path, slot: isBelow(path, slots) }];
  });
}

/** The number of first parents that are searched for a whole commit. */
const LOOK_BACK = 50;

/** True when all files of a commit are there, even if earlier history is missing. */
export const hasFiles = (repo: Repo, commit: string, known: readonly string[]): Promise<boolean> =>
  areConnected(repo, [`${commit}^{tree}`], known);

/** The commit itself or the newest one before it that is whole; `undefined`: it is gone, or no such commit is near. */
export async function wholeFrom(repo: Repo, commit: string, known: readonly string[]): Promise<string | undefined> {
  let at = await resolve(repo, commit);
  for (let n = 0; at !== undefined && n < LOOK_BACK; n++) {
    if (await areConnected(repo, [at], known)) return at;
    at = await resolve(repo, `${at}^`);
  }
  return undefined;
}

const US = { name: 'furrow', email: 'furrow@localhost' };

/** A commit with the files, the author and the words of another one, on other parents. The same id each time. */
export async function joinOnto(repo: Repo, tip: string, parents: readonly string[]): Promise<string> {
  const format = '--format=%T%x00%an%x00%ae%x00%ad%x00%B';
  const said = await git(repo, ['log', '--no-walk', '--date=raw', '--encoding=UTF-8', format, tip, '--']);
  const [tree = '', name = '', email = '', date = '', ...words] = said.split('\0');
  const author = { name, email, date };
  return commitTree(repo, { tree, parents, message: words.join('\0'), author, committer: US, at: Number.parseInt(date, 10) * 1000 });
}

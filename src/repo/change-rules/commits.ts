import { GitError, type Repo, tryGit } from '../../platform/git/run.ts';
import { contents } from '../merge/changes.ts';

/** A commit that would land. Its own text may hold a key too. */
export interface LandingCommit {
  readonly sha: string;
  readonly parents: readonly string[];
  /** Author, committer, signature, message: everything that the commit itself says. */
  readonly text: string;
}

/** The commits that each of these would bring onto the head, children before their parents. */
export async function commitsOf(repo: Repo, head: string, shas: readonly string[]): Promise<LandingCommit[][]> {
  if (shas.length === 0) return [];
  const args = ['rev-list', '--parents', '--stdin'];
  const input = [...new Set(shas), `^${head}`].map((line) => `${line}\n`).join('');
  const done = await tryGit(repo, args, { input });
  if (done.code !== 0 || done.truncated) throw new GitError(args, done);
  const lines = done.stdout.split('\n').filter(Boolean);
  const found = lines.map((line) => line.split(' '));
  const texts =
    found.length === 0
      ? []
      : await contents(
          repo,
          found.map(([sha = '']) => sha),
        );
  const all = new Map(found.map(([sha = '', ...parents], at) => [sha, { sha, parents, text: texts[at]! }]));
  return shas.map((sha) => reachable(all, sha));
}

/** Sorts commits so that each comes after all of its children among them. */
function reachable(all: ReadonlyMap<string, LandingCommit>, sha: string): LandingCommit[] {
  const done = new Set<string>();
  const order: LandingCommit[] = [];
  const open = [{ sha, left: false }];
  for (let next = open.pop(); next; next = open.pop()) {
    const commit = all.get(next.sha);
    if (!commit) continue;
    if (next.left) order.unshift(commit);
    else if (!done.has(next.sha)) {
      done.add(next.sha);
      open.push({ ...next, left: true }, ...commit.parents.map((parent) => ({ sha: parent, left: false })));
    }
  }
  return order;
}

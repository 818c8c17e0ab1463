import { type Repo, tryGit } from '../platform/git/run.ts';
import type { Identity } from '../platform/git/user.ts';

/** What a submitted commit says about itself. */
export interface CommitFacts {
  readonly sha: string;
  readonly tree: string;
  readonly author: Identity;
  /** When it was made, in milliseconds. */
  readonly at: number;
  /** Whether the work has merges of its own, which is when it can have more than one base. */
  readonly merges: boolean;
}

const FORMAT = '--format=%H%x00%P%x00%T%x00%ct%x00%an%x00%ae';

/** Facts about those commits that `base` does not have, by one git. One that is missing has none. */
export async function factsOf(repo: Repo, base: string, shas: readonly string[]): Promise<Map<string, CommitFacts>> {
  const input = `^${base}\n${shas.map((sha) => `${sha}\n`).join('')}`;
  const done = await tryGit(repo, ['rev-list', '--stdin', '--no-commit-header', FORMAT], { input });
  if (done.code === 0) return collect(done.stdout, shas);
  if (shas.length === 1) return new Map();
  const found = new Map<string, CommitFacts>();
  for (const sha of shas) for (const facts of (await factsOf(repo, base, [sha])).values()) found.set(sha, facts);
  return found;
}

function collect(log: string, shas: readonly string[]): Map<string, CommitFacts> {
  const lines = log.split('\n').filter(Boolean);
  const commits = new Map(lines.map((line) => [line.slice(0, line.indexOf('\0')), line.split('\0')]));
  const found = new Map<string, CommitFacts>();
  for (const sha of shas) {
    const [, , tree, seconds, name = '', email = ''] = commits.get(sha) ?? [];
    if (!tree) continue;
    found.set(sha, { sha, tree, author: { name, email }, at: Number(seconds) * 1000, merges: hasMerges(commits, sha) });
  }
  return found;
}

function hasMerges(commits: ReadonlyMap<string, readonly string[]>, sha: string): boolean {
  for (let at = commits.get(sha); at; ) {
    const parents = at[1]!.split(' ');
    if (parents.length > 1) return true;
    at = commits.get(parents[0]!);
  }
  return false;
}

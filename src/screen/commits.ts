import { GitError, type Repo, tryGit } from '../platform/git/run.ts';

/** A commit that would land: its own text has places for a key too. */
export interface LandingCommit {
  readonly sha: string;
  readonly parents: readonly string[];
  /** Author, committer, signature, message: everything that the commit itself says. */
  readonly text: string;
}

/** The commits that each of these would bring onto the head, newest first, by one git. */
export async function commitsOf(repo: Repo, head: string, shas: readonly string[]): Promise<LandingCommit[][]> {
  if (shas.length === 0) return [];
  const args = ['rev-list', '--header', '--parents', '--topo-order', '--stdin'];
  const input = [...new Set(shas), `^${head}`, '--'].map((line) => `${line}\n`).join('');
  const done = await tryGit(repo, args, { input, encoding: 'latin1' });
  if (done.code !== 0 || done.truncated) throw new GitError(args, done);
  const all = done.stdout.split('\0').flatMap((record) => commitIn(record) ?? []);
  return shas.map((sha) => reachable(all, sha));
}

function commitIn(record: string): LandingCommit | undefined {
  const end = record.indexOf('\n');
  const [sha, ...parents] = record.slice(0, end).split(' ');
  return end > 0 && sha ? { sha, parents, text: record.slice(end + 1) } : undefined;
}

/** Children come before their parents, so one walk finds them all. */
function reachable(all: readonly LandingCommit[], sha: string): LandingCommit[] {
  const wanted = new Set([sha]);
  return all.filter((one) => {
    if (!wanted.has(one.sha)) return false;
    for (const parent of one.parents) wanted.add(parent);
    return true;
  });
}

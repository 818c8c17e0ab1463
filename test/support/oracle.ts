import { createHash } from 'node:crypto';
import { lstat, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { exec } from '../../src/platform/exec.ts';
import { plainEnv, type TestRepo } from './repo.ts';

export interface Replayed {
  readonly commits: string[];
  readonly red: { commit: string; output: string }[];
}

/**
 * Runs a check again on every first-parent commit of a ref, oldest first, in a clone that furrow has never seen:
 * the proof that what landed was never red. `since` leaves out the commits up to and with that one.
 */
export async function replayChecks(repo: TestRepo, ref: string, command: string, since?: string): Promise<Replayed> {
  const range = since === undefined ? ref : `${since}..${ref}`;
  const commits = (await repo.git('rev-list', '--reverse', '--first-parent', range)).split('\n').filter(Boolean);
  const clone = join(repo.base, `replay-${Date.now()}`);
  await repo.git('clone', '--quiet', '--shared', '--no-checkout', repo.root, clone);
  const red: Replayed['red'] = [];
  for (const commit of commits) {
    await repo.git('-C', clone, 'checkout', '--quiet', '--detach', commit);
    await repo.git('-C', clone, 'clean', '--quiet', '-fdx');
    const done = await exec(['sh', '-c', command], { cwd: clone, env: plainEnv(repo), timeoutMs: 60_000 });
    if (done.code !== 0) red.push({ commit, output: (done.stdout + done.stderr).slice(-500) });
  }
  return { commits, red };
}

/**
 * What `git fsck` finds wrong: nothing, in a repository that was treated well. Dangling objects are no fault, nor is the commit graph of a
 * `gc` that still names what a later `repack -a -d` dropped: git itself reads past it.
 */
export async function fsck(repo: TestRepo): Promise<string[]> {
  const done = await repo.tryGit('-c', 'core.commitGraph=false', 'fsck', '--full', '--no-dangling', '--no-progress');
  const lines = (done.stdout + done.stderr).split('\n').filter(Boolean);
  return done.code === 0 ? lines.filter((line) => !line.startsWith('notice:')) : lines;
}

/**
 * Hashes of the files in the user's checkout that git does not hold for them: changed, untracked and ignored ones.
 * Furrow may touch none of them; its own folder and the board it keeps are left out.
 */
export async function snapshotUserFiles(
  root: string,
  repo: TestRepo,
  except: readonly string[] = ['.furrow', 'board'],
): Promise<Record<string, string>> {
  const status = await repo.git('-C', root, 'status', '--porcelain', '-z', '--untracked-files=all', '--ignored=matching', '--no-renames');
  const paths = status
    .split('\0')
    .filter(Boolean)
    .map((line) => line.slice(3));
  const users = paths.filter((path) => !except.some((folder) => path === folder || path.startsWith(`${folder}/`)));
  return Object.fromEntries(await Promise.all(users.map(async (path) => [path, await fingerprint(join(root, path))] as const)));
}

async function fingerprint(path: string): Promise<string> {
  const stat = await lstat(path).catch(() => undefined);
  if (!stat) return 'gone';
  if (stat.isDirectory()) return 'folder';
  const content = stat.isSymbolicLink() ? await readlink(path) : await readFile(path);
  return `${stat.mode.toString(8)} ${createHash('sha256').update(content).digest('hex')}`;
}

/** Commits noted by the witness that no ref reaches any more: the ones that were lost. */
export async function lostCommits(repo: TestRepo, witness: string): Promise<string[]> {
  const log = await readFile(join(witness, 'commits.log'), 'utf8').catch(() => '');
  const noted = new Set(
    log
      .split('\n')
      .filter(Boolean)
      .map((line) => line.split(' ')[0]!),
  );
  const reachable = new Set((await repo.git('rev-list', '--all', '--reflog')).split('\n'));
  const byRef = new Set((await repo.git('rev-list', '--all')).split('\n'));
  return [...noted].filter((sha) => !byRef.has(sha)).map((sha) => (reachable.has(sha) ? `${sha} (only in a reflog)` : sha));
}

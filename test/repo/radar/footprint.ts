import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from './deeds.ts';

/**
 * All that must not change: each file and folder of the worktree and of the repository, with times, bytes and inodes. Of
 * objects only the bytes: git renews the date of one that it would have written again.
 */
export function footprint({ repo, path, git }: Bench): string[] {
  const status = git('--no-optional-locks', 'status', '--porcelain=v2', '--branch', '--ignored');
  return [status, ...below(path), ...below(repo.gitDir)];
}

function below(folder: string | Buffer): string[] {
  const lines: string[] = [];
  for (const name of readdirSync(folder, { encoding: 'buffer' }).sort(Buffer.compare)) {
    const path = Buffer.concat([Buffer.from(folder), Buffer.from('/'), name]);
    const stat = lstatSync(path, { bigint: true });
    const bytes = stat.isFile() ? readFileSync(path) : stat.isSymbolicLink() ? readlinkSync(path) : '';
    const hash = createHash('sha1').update(bytes).digest('hex');
    const times = path.includes('/.git/objects/') ? '' : `${stat.mtimeNs} ${stat.ctimeNs}`;
    lines.push(`${path.toString('latin1')} ${stat.ino} ${stat.mode.toString(8)} ${times} ${hash}`);
    if (stat.isDirectory()) lines.push(...below(path));
  }
  return lines;
}

/** The tree of a plain `add -A` and `write-tree`, through a copy of the agent's index and into objects of its own. */
export function addedTree({ repo, path, git }: Bench): string {
  const folder = join(repo.places.run, 'oracle');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'objects'), { recursive: true });
  const gitDir = git('rev-parse', '--absolute-git-dir');
  copyFileSync(join(gitDir, 'index'), join(folder, 'index'));
  // As old as the original, or an edit in the same second as it is not seen.
  const seconds = Math.floor(statSync(join(gitDir, 'index')).mtimeMs / 1000);
  utimesSync(join(folder, 'index'), seconds, seconds);
  const env = {
    PATH: process.env['PATH'],
    GIT_INDEX_FILE: join(folder, 'index'),
    GIT_OBJECT_DIRECTORY: join(folder, 'objects'),
    GIT_ALTERNATE_OBJECT_DIRECTORIES: join(repo.gitDir, 'objects'),
  };
  const run = (...args: string[]) => execFileSync('git', args, { cwd: path, env, encoding: 'utf8', stdio: 'pipe' }).trim();
  // A repository that nobody added is none of ours, though git would take it for a submodule.
  const nested = run('ls-files', '--others', '--exclude-standard')
    .split('\n')
    .filter((name) => name.endsWith('/'))
    .map((name) => `:(exclude)${name}`);
  // A sparse checkout is no reason to leave out what is there.
  run('add', '-A', '--sparse', '--', '.', ...nested);
  return run('write-tree');
}

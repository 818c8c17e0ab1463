import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { exec } from '../../platform/exec.ts';
import { inWorktree } from '../../platform/git/admin.ts';
import { register } from '../../platform/git/register.ts';
import { git } from '../../platform/git/run.ts';
import type { DemoRepository } from './repository.ts';

export interface Proof {
  readonly commits: readonly { sha: string; subject: string; green: boolean }[];
}

/**
 * Runs the check once more on every commit that main ever pointed to, in a checkout of its own: the claim is not that
 * the end is green, but that it was never red.
 */
export async function prove(demo: DemoRepository): Promise<Proof> {
  const checkout = join(demo.folder, 'proof');
  const linked = await register(demo.repo, checkout, { head: demo.first });
  const inside = inWorktree(demo.repo, linked);
  const lines = await git(demo.repo, ['log', '--first-parent', '--reverse', '--format=%H %s', 'main']);
  const commits: { sha: string; subject: string; green: boolean }[] = [];
  for (const line of lines.split('\n')) {
    const sha = line.slice(0, 40);
    await git(demo.repo, ['checkout', '--quiet', '--force', '--detach', sha], inside);
    const check = await exec(['sh', 'check.sh'], { cwd: checkout, env: { PATH: process.env['PATH'] ?? '' }, timeoutMs: 30_000 });
    commits.push({ sha, subject: line.slice(41), green: check.code === 0 });
  }
  for (const path of [linked.admin, checkout]) await rm(path, { recursive: true });
  return { commits };
}

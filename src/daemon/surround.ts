import { join } from 'node:path';
import type { Selectable } from 'kysely';
import type { AgentRow } from '../journal/schema.ts';
import { FurrowError } from '../platform/error.ts';
import { exec } from '../platform/exec.ts';
import { readIfThere, writeWhole } from '../platform/files.ts';
import { linkedAt } from '../platform/git/admin.ts';
import { copyIgnored } from '../worktree/surroundings.ts';
import type { Farm } from './farm.ts';

const SETUP_TIMEOUT_MS = 30 * 60_000;

/** Gives a new worktree what git does not carry: copied ignored files, then the `setup` commands. */
export async function surround(
  farm: Farm,
  agent: Selectable<AgentRow>,
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<void> {
  const linked = await linkedAt(farm.repo, agent.worktree);
  const mark = join(linked?.admin ?? agent.worktree, 'furrow-surrounded');
  if ((await readIfThere(mark)) !== undefined) return;
  await copyIgnored(farm.repo.root, agent.worktree, farm.config.worktree.copy);
  for (const command of farm.config.worktree.setup) {
    const done = await exec(['sh', '-c', command], {
      cwd: agent.worktree,
      env,
      timeoutMs: SETUP_TIMEOUT_MS,
      maxBytes: 1024 * 1024,
      signal,
    });
    if (signal.aborted) throw new FurrowError('STOPPED', `setup \`${command}\` was stopped`);
    if (done.code === 0) continue;
    const said = (done.stderr || done.stdout).trim().split('\n').at(-1) ?? '';
    throw new FurrowError(
      'SETUP_FAILED',
      `setup \`${command}\` failed in the worktree of ${agent.name}: ${said || `exit ${done.code ?? done.signal}`}`,
      {
        hint: 'fix `worktree.setup` in furrow.yaml, then furrow retry',
      },
    );
  }
  // Beside the registration, so that it goes with the worktree; a set-up that failed or was cut short leaves none.
  await writeWhole(mark, '');
}

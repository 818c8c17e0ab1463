import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { repairWorktrees } from '../../../src/platform/git/repair.ts';
import { worktrees } from '../../../src/platform/git/worktrees.ts';
import { isAlive } from '../../../src/platform/process/identity.ts';
import { descendants, processTable } from '../../../src/platform/process/table.ts';
import type { Preparation } from '../../../src/repo/worktree/prepare.ts';
import { prove } from '../../../src/repo/worktree/prove-place.ts';
import { ALL } from '../../support/all.ts';
import { farm, type TestFarm } from './farm.ts';

function begin(f: TestFarm, want: Preparation, fault = ''): ChildProcess {
  const script = join(import.meta.dirname, 'prepare-child.ts');
  const env = { PATH: process.env['PATH'], HOME: f.gitDir, FURROW_FAULT: fault };
  return spawn(process.execPath, [script, f.root, JSON.stringify(want)], { env, stdio: ['ignore', 'pipe', 'ignore'] });
}

/** SIGKILL to the child, and to the gits below it or not: left alone they work on after their parent is gone. */
function kill(child: ChildProcess, gitsToo: boolean): void {
  const below = gitsToo ? descendants(processTable(), child.pid!) : [];
  child.kill('SIGKILL');
  for (const id of below) if (isAlive(id)) process.kill(id.pid, 'SIGKILL');
}

describe('killed', () => {
  it('anywhere on the way, a worktree is repaired and prepared, and nothing is broken', async () => {
    await using f = await farm();
    for (let n = 0; n < 300; n++) f.write(`many/${n}.txt`, `file ${n}\n`);
    const base = f.commit('many files');
    let random = 7;
    for (let round = 0; round < (ALL ? 15 : 5); round++) {
      random = (random * 48_271) % 2_147_483_647;
      const agent = `agent-${round % 3}`;
      const want = f.want(agent, String(round), { base, fresh: round % 5 === 4, rescueRef: `refs/furrow/rescue/${agent}/${round}` });
      const child = begin(f, want);
      await once(child.stdout!, 'data');
      await sleep(5 + (random % 56));
      kill(child, round % 2 === 0);
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      await repairWorktrees(f, [f.places.worktrees]);
      await f.prepare(agent, String(round), want);
      expect(await prove(f, want.path, { branch: want.branch, base })).toEqual([]);
    }
    // The checkout, and one for each of three agents.
    expect(await worktrees(f)).toHaveLength(4);
    expect(f.sh(['fsck', '--no-dangling'])).toBe('');
    expect(f.sh(['status', '--porcelain'])).toBe('');
    f.sh(['gc', '-q']);
  });

  it.each(['worktree.registered', 'worktree.added', 'worktree.filled', 'worktree.rescued', 'worktree.aside', 'worktree.trashed'])(
    'at %s, it goes on from there',
    async (point) => {
      await using f = await farm();
      await f.prepare('ada', '1');
      const old = ['worktree.registered', 'worktree.added', 'worktree.filled'].includes(point) ? 'bob' : 'ada';
      if (old === 'ada') f.put('ada', 'precious.txt', 'do not lose');
      if (point === 'worktree.aside') writeFileSync(join(f.gitDir, 'worktrees/ada/index'), 'garbage');
      const want = f.want(old, '2', { fresh: point === 'worktree.trashed' });
      const child = begin(f, want, `${point}:1:kill`);
      await once(child, 'exit');
      expect(child.signalCode).toBe('SIGKILL');
      const made = await f.prepare(old, '2', want);
      expect(await prove(f, want.path, { branch: want.branch, base: f.base })).toEqual([]);
      if (point === 'worktree.aside') expect(readFileSync(`${want.path}.kept-1/precious.txt`, 'utf8')).toBe('do not lose');
      else if (old === 'ada') expect(f.sh(['show', 'refs/furrow/rescue/ada/1:precious.txt'])).toBe('do not lose');
      else expect(made.rescued).toBeUndefined();
      f.sh(['worktree', 'list']);
    },
  );
});

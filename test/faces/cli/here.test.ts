import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hereLines, nextCommand } from '../../../src/faces/cli/commands/here.ts';
import { paint } from '../../../src/faces/cli/out.ts';
import { emptyStatus, farmWith, folder, furrow, repository } from './stub.ts';

const idle = { questions: 0, working: false, ready: 0, open: 0 };

describe('the next command', () => {
  it.each([
    ['an open question', { ...idle, questions: 2, ready: 3, open: 3 }, 'furrow next'],
    ['work that goes on', { ...idle, working: true, ready: 3, open: 3 }, 'furrow status'],
    ['ready tasks and no work', { ...idle, ready: 3, open: 5 }, 'furrow work'],
    ['tasks that cannot start', { ...idle, open: 5 }, 'furrow list'],
    ['nothing', idle, 'furrow add "what to do"'],
  ])('for %s', (_name, standing, command) => expect(nextCommand(standing)[0]).toBe(command));

  it('is the last line of a short picture', () => {
    const lines = hereLines({ ...emptyStatus, tasks: { landed: 1, ready: 1 }, agents: [], attention: [] }, paint(false));
    expect(lines).toEqual([
      'farm   running',
      'tasks  ██████████░░░░░░░░░░ 1/2  1 ready, 1 landed',
      'queue  empty, landing on main',
      '',
      'next: furrow status  agents are working',
    ]);
  });
});

describe('without a farm', () => {
  it('furrow alone names init in a repository, and says what furrow is outside of one', async () => {
    await using repo = await repository();
    const inside = await furrow([], { cwd: repo.root });
    expect(inside).toMatchObject({ code: 0, stdout: expect.stringMatching(/next: furrow init/) });
    const elsewhere = folder();
    const outside = await furrow([], { cwd: elsewhere });
    rmSync(elsewhere, { recursive: true });
    expect(outside).toMatchObject({ code: 0, stdout: expect.stringMatching(/furrow demo[\s\S]*furrow help/) });
  });

  it('a look starts no daemon and writes nothing', async () => {
    await using repo = await repository();
    const status = await furrow(['status', '--json'], { cwd: repo.root });
    expect(status.code).toBe(0);
    expect(JSON.parse(status.stdout)).toMatchObject({ farm: { state: 'stopped', pid: null }, agents: [], attention: [] });
    expect(await furrow(['list', '--json'], { cwd: repo.root })).toMatchObject({ code: 0, stdout: '[]\n' });
    expect(JSON.parse((await furrow(['config', '--json'], { cwd: repo.root })).stdout)).toMatchObject({ parallel: 4, in_force: null });
    expect(await furrow(['plan'], { cwd: repo.root })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/no farm[\s\S]*furrow init/),
    });
    expect(existsSync(join(repo.root, '.furrow'))).toBe(false);
  });
});

it('furrow alone reads the board of a farm that is not running, and asks one that is', async () => {
  await using repo = await repository();
  writeFileSync(join(repo.root, 'furrow.yaml'), 'parallel: 2\n');
  const still = await furrow([], { cwd: repo.root });
  expect(still.stdout).toMatch(/not running\ntasks {2}none on the board\n\nnext: furrow add/);
  await using _farm = await farmWith(repo.root, { status: { ...emptyStatus, farm: { ...emptyStatus.farm, state: 'stopped' } } });
  expect((await furrow([], { cwd: repo.root })).stdout).toContain('next: furrow work  one task is ready');
});

import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, readdir, rm, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { socketPath } from '../../src/api/place.ts';
import { exec } from '../../src/platform/exec.ts';
import { parseTask } from '../../src/work/task/parse.ts';
import { writeBoard } from '../support/board.ts';
import { full, mount, mounted } from '../support/disk.ts';
import { BIN, farm, furrow, furrowIn, type Said } from '../support/farm.ts';
import { fsck } from '../support/oracle.ts';
import { assertNoLeak, look, processesOf } from '../support/processes.ts';
import { gitRepo, plainEnv, type TestRepo } from '../support/repo.ts';
import { commits, file, SHELL, scriptedRepo, shellRepo } from './shell.ts';

const root = process.getuid?.() === 0;
function refused(said: Said, code: number, ...words: (string | RegExp)[]): void {
  expect(said, said.stderr).toMatchObject({ code });
  expect(said.stderr).toMatch(/^ {2}try: \S/m);
  expect(said.stderr).not.toMatch(/^ {4}at |bug in furrow/m);
  for (const word of words) expect(said.stderr).toMatch(word);
}

const attention = async (repo: TestRepo) =>
  (await farm(repo).ask('status')).attention as { kind: string; subject: string; reason: string }[];
const pidOf = async (repo: TestRepo): Promise<number> => (await furrow(repo, 'status', '--json')).json().farm.pid;

it.skipIf(!root)(
  'a full disk is said in the attention list, tears no file, and when there is room again the farm goes on by itself',
  async (t) => {
    await using repo = await gitRepo({
      'furrow.yaml': SHELL.replace('sh do/$FURROW_TASK.sh', 'sh do.sh'),
      'check.sh': 'true\n',
      'do.sh': `[ "$FURROW_TASK" -le 2 ] || until [ -e "$HOME/full" ]; do sleep 0.05; done; ${commits('$FURROW_TASK')}`,
      'src/a': '',
    });
    const disk = join(repo.base, 'disk');
    await using place = await mounted(disk, '-t', 'tmpfs', '-o', 'size=24m', 'tmpfs');
    if (!place.ok) return t.skip('mounting is not possible here');
    const small: TestRepo = {
      ...repo,
      root: join(disk, 'repo'),
      git: (...args) => repo.git('-C', join(disk, 'repo'), ...args),
      tryGit: (...args) => repo.tryGit('-C', join(disk, 'repo'), ...args),
    };
    await repo.git('clone', '--quiet', repo.root, small.root);
    for (const [key, value] of [
      ['user.name', 'Test'],
      ['user.email', 'test@furrow.invalid'],
    ] as const)
      await small.git('config', key, value);
    await using running = farm(small);
    for (const n of [1, 2, 3, 4, 5, 6]) await running.furrow('add', `task ${n}`);
    await running.furrow('work', '--parallel', '2', '--detach');
    await expect.poll(async () => Number(await small.git('rev-list', '--count', 'main'))).toBeGreaterThan(1);
    const before = await pidOf(small);
    await using filled = full(join(disk, 'fill'));
    await repo.write('../home/full', '');
    await expect.poll(async () => (await attention(small)).map((one) => one.reason).join()).toMatch(/disk is full|no space left/i);

    const tasks = join(small.root, 'board/tasks');
    for (const name of await readdir(tasks)) expect(parseTask(readFileSync(join(tasks, name), 'utf8'), name)).toMatchObject({ ok: true });

    filled.empty();
    await expect
      .poll(async () => (await running.ask('list')).map((task: { state: string }) => task.state))
      .toEqual(Array(6).fill('landed'));
    expect(await pidOf(small), 'the daemon ended and was started again').toBe(before);
    // That the disk is small is true before and after.
    await expect.poll(async () => (await attention(small)).filter(({ kind }) => kind !== 'doctor')).toEqual([]);
    await running.furrow('stop', '--all');
    expect(await fsck(small)).toEqual([]);
    const store = new DatabaseSync(join(small.root, '.furrow/store.db'));
    expect(store.prepare('pragma integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
    store.close();
  },
);

it('a .furrow that cannot be written is a sentence and a next command', async (t) => {
  await using repo = await scriptedRepo();
  await writeBoard(repo, [{ id: 1, script: file(1) }]);
  const folder = join(repo.root, '.furrow');
  await mkdir(folder);
  // One that others may enter is furrow's to close.
  if (!root) chmodSync(folder, 0o500);
  await using first = root ? await mounted(folder, '--bind', folder) : undefined;
  if (first?.ok === false) return t.skip('mounting is not possible here');
  if (first) await mount('-o', 'remount,bind,ro', folder);
  for (const command of [['list'], ['work'], ['add', 'x']])
    refused(await furrow(repo, ...command), 1, /\.furrow/, /cannot|read-only|permission/i);
  expect(await furrow(repo, 'doctor')).toMatchObject({ stdout: expect.stringContaining('.furrow') });
  if (!root) chmodSync(folder, 0o755);
});

it('a file where the folder .furrow should be is a sentence and a next command', async () => {
  await using repo = await scriptedRepo();
  await repo.write('.furrow', 'mine\n');
  for (const command of [['list'], ['status'], ['work']]) refused(await furrow(repo, ...command), 1, /\.furrow/);
});

it('broken task files are named once, and among what needs you', async () => {
  await using repo = await scriptedRepo();
  await writeBoard(repo, [{ id: 1, script: file(1) }]);
  await repo.write('board/tasks/002-broken.md', '---\nid: 2\ntitle: [unclosed\nstatus: todo\n---\n');
  await using running = farm(repo);
  const { stderr } = await running.furrow('list');
  expect(stderr.match(/002-broken/g)).toHaveLength(1);
  expect(await attention(repo)).toMatchObject([{ reason: expect.stringContaining('002-broken.md') }]);
});

it('furrow work on a target that is missing says so', async () => {
  await using repo = await scriptedRepo('target: release\n');
  await writeBoard(repo, [{ id: 1, script: file(1) }]);
  await using running = farm(repo);
  await running.furrow('list');
  const work = await running.furrow('work', '--parallel', '1');
  refused(work, 1, /there is no branch release/);
});

it('the demo on a machine without git ends with 78 and leaves nothing', async () => {
  await using repo = await gitRepo();
  const [bin, temporary] = [join(repo.base, 'bin'), join(repo.base, 'tmp')];
  for (const folder of [bin, temporary]) await mkdir(folder);
  await symlink(
    (await exec(['which', 'tmux'], { env: { PATH: process.env['PATH'] ?? '' }, timeoutMs: 60_000 })).stdout.trim(),
    join(bin, 'tmux'),
  );
  refused(await furrowIn(repo, { env: { PATH: bin, TMPDIR: temporary } }, 'demo'), 78, /needs git/);
  expect(readdirSync(temporary).filter((name) => name.startsWith('furrow'))).toEqual([]);
});

it('a bare repository is told to be cloned, not to be made', async () => {
  await using repo = await gitRepo();
  await repo.git('init', '--quiet', '--bare', join(repo.base, 'bare.git'));
  refused(await furrow({ ...repo, root: join(repo.base, 'bare.git') }, 'list'), 1, /bare/, /try: git clone/);
});

it('furrow work goes on when its daemon is ended by SIGTERM', async () => {
  await using repo = await shellRepo({ 1: `while [ ! -e "$HOME/go" ]; do sleep 0.05; done; ${commits('1')}` });
  await writeBoard(repo, [{ id: 1 }]);
  await using running = farm(repo);
  const before = await pidOf(repo);
  const work = exec([process.execPath, BIN, 'work', '--parallel', '1'], { cwd: repo.root, env: plainEnv(repo), timeoutMs: 120_000 });
  await expect.poll(async () => (await running.ask('status')).agents[0]?.state).toBe('working');
  process.kill(before, 'SIGTERM');
  await expect.poll(() => look(before)).toBeUndefined();
  await repo.write('../home/go', '');
  expect(await work).toMatchObject({ code: 0 });
});

it('stop --all ends the agents that a daemon ended by SIGTERM left at work', async () => {
  await using repo = await shellRepo({ 1: 'sleep 60' });
  await writeBoard(repo, [{ id: 1 }]);
  const running = farm(repo);
  await running.furrow('work', '--parallel', '1', '--detach');
  await expect.poll(async () => (await running.ask('status')).agents[0]?.state).toBe('working');
  process.kill(await pidOf(repo), 'SIGTERM');
  await expect.poll(() => existsSync(socketPath(repo.root))).toBe(false);
  expect(processesOf(repo.base).length).toBeGreaterThan(0);
  expect(await running.furrow('stop', '--all', '--now')).toMatchObject({ code: 0 });
  await assertNoLeak(repo.base);
});

it('a farm with a long path leaves nothing in /tmp when it is stopped', async () => {
  await using repo = await scriptedRepo();
  const long = { ...repo, root: join(repo.base, 'p'.repeat(100), 'q'.repeat(100)) };
  await repo.git('clone', '--quiet', repo.root, long.root);
  const place = dirname(socketPath(long.root));
  try {
    {
      await using running = farm(long);
      await running.furrow('add', 'one');
      await running.furrow('work', '--parallel', '1', '--detach');
      await expect.poll(() => existsSync(join(place, 'tmux.sock'))).toBe(true);
    }
    expect(existsSync(place)).toBe(false);
  } finally {
    await rm(place, { recursive: true, force: true });
  }
});

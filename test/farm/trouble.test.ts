import { existsSync, readdirSync } from 'node:fs';
import { chmod, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { socketPath } from '../../src/api/place.ts';
import { exec } from '../../src/platform/exec.ts';
import { taskFile, writeBoard } from '../support/board.ts';
import { farm, furrow, furrowIn, type Said } from '../support/farm.ts';
import { fsck, snapshotUserFiles } from '../support/oracle.ts';
import { allProcesses, lives, variable } from '../support/processes.ts';
import { gitRepo, type TestRepo } from '../support/repo.ts';
import { commits, file, scriptedRepo, shellRepo } from './shell.ts';

/** A known error: this exit code, one sentence with these words, a next command, and no stack trace. */
function refused(said: Said, code: number, ...words: (string | RegExp)[]): void {
  expect(said, said.stderr).toMatchObject({ code, stdout: '' });
  expect(said.stderr).toMatch(/^furrow: \S/);
  expect(said.stderr).toMatch(/^ {2}try: \S/m);
  expect(said.stderr).not.toMatch(/^ {4}at |bug in furrow/m);
  for (const word of words) expect(said.stderr).toMatch(word);
}

/** A PATH with these programs and nothing else: a real one by its name, a script by its text. */
async function pathWith(repo: TestRepo, programs: Record<string, string | undefined>): Promise<{ PATH: string }> {
  const folder = join(repo.base, 'bin');
  await mkdir(folder);
  for (const [name, text] of Object.entries(programs)) {
    const at = join(folder, name);
    if (text === undefined)
      await symlink((await exec(['which', name], { env: { PATH: process.env['PATH'] ?? '' }, timeoutMs: 60_000 })).stdout.trim(), at);
    else await writeFile(at, text).then(() => chmod(at, 0o755));
  }
  return { PATH: folder };
}

const attention = async (repo: TestRepo) =>
  (await farm(repo).ask('status')).attention as { kind: string; subject: string; reason: string }[];

it.each([
  ['an unknown key', 'agent: scripted\nparalel: 3\n', [/furrow\.yaml:2: unknown key "paralel"; did you mean "parallel"\?/]],
  ['a wrong type', 'parallel: lots\n', [/furrow\.yaml:1: parallel: expected a whole number from 1 to 500, found "lots"/]],
  ['no YAML', 'agent: scripted\ncheck: [npm test\nparallel: 2\n', [/furrow\.yaml:3: /]],
  ['an unknown agent kind', 'check: "true"\nagent: clade\n', [/furrow\.yaml:2: there is no agent kind "clade"; did you mean "claude"\?/]],
  ['two mistakes', 'paralel: 3\nattempts: 0\n', [/furrow\.yaml:1: .*paralel/, /furrow\.yaml:2: attempts: expected/]],
])('furrow.yaml with %s is refused with file, line and what was expected', async (_what, text, words) => {
  await using repo = await gitRepo({ 'furrow.yaml': text });
  for (const command of [['config'], ['work']]) refused(await furrow(repo, ...command), 1, ...words);
  expect(await repo.git('status', '--porcelain')).toBe('');
});

it('furrow.yaml that breaks while the farm runs is a question, the old one stays in force, and mending it is the answer', async () => {
  await using repo = await shellRepo({ 1: `sleep 1.2; ${commits('1')}`, 2: commits('2') });
  await writeBoard(repo, [{ id: 1 }]);
  await using running = farm(repo);
  expect(await running.furrow('work', '--parallel', '1')).toMatchObject({ code: 0 });
  const good = await readFile(join(repo.root, 'furrow.yaml'), 'utf8');
  await repo.write('furrow.yaml', `${good}paralel: 3\n`);
  await expect.poll(() => attention(repo)).toMatchObject([{ kind: 'config', subject: 'furrow.yaml' }]);
  expect((await attention(repo))[0]!.reason).toMatch(/furrow\.yaml:5: unknown key "paralel"/);
  await writeBoard(repo, [{ id: 2 }]);
  const older = expect.stringMatching(/unknown key "paralel".*; the work goes by an earlier version, which furrow config prints/);
  expect(await running.furrow('work', '--parallel', '1')).toMatchObject({ code: 0, stderr: older });
  await repo.write('furrow.yaml', good);
  await expect.poll(() => attention(repo)).toEqual([]);
});

it('furrow.yaml broken in the first second of a farm is noticed too', async () => {
  await using repo = await scriptedRepo();
  await using running = farm(repo);
  await running.furrow('list');
  await repo.write('furrow.yaml', 'paralel: 3\n');
  await expect.poll(() => attention(repo)).toMatchObject([{ kind: 'config' }]);
});

it('a broken task file is named with its line and stays as it is; the rest of the board is worked through', async () => {
  await using repo = await scriptedRepo();
  await writeBoard(repo, [
    { id: 1, script: file(1) },
    { id: 4, depends_on: [2], script: file(4) },
  ]);
  const broken = '---\nid: 2\ntitle: [unclosed\nstatus: todo\n---\n\nthe body\n';
  await repo.write('board/tasks/002-broken.md', broken);
  await repo.write('board/tasks/003-no-end.md', '---\nid: 3\ntitle: x\n');
  await using running = farm(repo);
  const list = await running.furrow('list', '--json');
  expect(list.json().map((task: { id: string; state: string }) => [task.id, task.state])).toEqual([
    ['1', 'ready'],
    ['4', 'waiting'],
  ]);
  expect(list.stderr).toMatch(/tasks\/002-broken\.md:[34]: not YAML/);
  expect(list.stderr).toMatch(/tasks\/003-no-end\.md:1: .*no --- line/);
  const work = await running.furrow('work', '--parallel', '1');
  expect(work).toMatchObject({ code: 1 });
  expect(work.stdout).toMatch(/4 .*waits for 2/);
  expect(await readFile(join(repo.root, 'board/tasks/002-broken.md'), 'utf8')).toBe(broken);
  expect(await repo.git('show', 'main:src/1.txt')).toBe('1');
  await repo.write('board/tasks/002-broken.md', taskFile({ id: 2, script: file(2) }));
  expect(await running.furrow('work', '--parallel', '1')).toMatchObject({ code: 0 });
});

it.each([
  ['no tmux', { git: undefined }, /needs tmux 3\.2 or newer; this machine has none/],
  ['no git', { tmux: undefined }, /needs git 2\.38 or newer; this machine has none/],
  ['an old git', { tmux: undefined, git: '#!/bin/sh\necho git version 2.34.1\n' }, /needs git 2\.38 or newer; this machine has 2\.34\.1/],
  ['an old tmux', { git: undefined, tmux: '#!/bin/sh\necho tmux 3.1c\n' }, /needs tmux 3\.2 or newer; this machine has 3\.1c/],
])('on a machine with %s every command says what to install and ends with 78', async (_what, programs, words) => {
  await using repo = await scriptedRepo();
  await writeBoard(repo, [{ id: 1, script: file(1) }]);
  const env = await pathWith(repo, programs);
  for (const command of [['list'], ['add', 'more'], ['work']]) refused(await furrowIn(repo, { env }, ...command), 78, words);
  expect(await furrowIn(repo, { env }, 'doctor')).toMatchObject({ code: 78, stdout: expect.stringMatching(words) });
  expect(readdirSync(join(repo.root, 'board/tasks'))).toHaveLength(1);
  expect(await repo.git('for-each-ref', 'refs/furrow')).toBe('');
});

it('a folder that is no repository, a bare one and one without a commit are told apart from a farm, and nothing is written', async () => {
  await using repo = await gitRepo();
  const empty = { ...repo, root: join(repo.base, 'empty') };
  await mkdir(empty.root);
  for (const command of [['list'], ['init'], ['work'], ['status']])
    refused(await furrow(empty, ...command), 1, /not inside a git repository/);
  refused(await furrow(repo, 'list', '--repo', join(repo.base, 'nowhere')), 1, /nowhere is not inside a git repository/);
  expect(readdirSync(empty.root)).toEqual([]);

  await repo.git('init', '--quiet', '--bare', join(repo.base, 'bare.git'));
  const bare = { ...repo, root: join(repo.base, 'bare.git') };
  for (const command of [['list'], ['init'], ['work']])
    refused(await furrow(bare, ...command), 1, /is a bare repository/, /try: git clone/);
  expect(existsSync(join(bare.root, '.furrow'))).toBe(false);

  await repo.git('init', '--quiet', join(repo.base, 'new'));
  const fresh = { ...repo, root: join(repo.base, 'new') };
  expect(await furrow(fresh, 'list')).toMatchObject({ code: 0, stdout: expect.stringContaining('furrow init') });
  expect(readdirSync(fresh.root)).toEqual(['.git']);
  for (const command of [['add', 'x'], ['work']]) refused(await furrow(fresh, ...command), 1, /no commit yet/, /try: git commit/);
});

it('with a detached HEAD it lands on main; when that is gone, `target:` says where instead', async () => {
  await using repo = await scriptedRepo();
  await writeBoard(repo, [{ id: 1, script: file(1) }]);
  await repo.git('checkout', '--quiet', '--detach');
  const before = await repo.git('rev-parse', 'HEAD');
  {
    await using running = farm(repo);
    expect(await running.furrow('work', '--parallel', '1')).toMatchObject({ code: 0 });
  }
  expect(await repo.git('show', 'main:src/1.txt')).toBe('1');
  expect(await repo.git('rev-parse', 'HEAD')).toBe(before);

  await repo.git('branch', '--move', 'main', 'trunk');
  refused(await furrow(repo, 'work'), 1, /there is no branch main/, /or set `target:` in furrow\.yaml/);
  await repo.write('furrow.yaml', `${await readFile(join(repo.root, 'furrow.yaml'), 'utf8')}target: trunk\n`);
  await writeBoard(repo, [{ id: 2, script: file(2) }]);
  await using running = farm(repo);
  expect(await running.furrow('work', '--parallel', '1')).toMatchObject({ code: 0 });
  expect(await repo.git('show', 'trunk:src/2.txt')).toBe('2');
});

it('a first start on a detached HEAD, without main or master, says which key to set', async () => {
  await using repo = await scriptedRepo();
  await repo.git('checkout', '--quiet', '--detach');
  await repo.git('branch', '--move', 'main', 'trunk');
  refused(await furrow(repo, 'work'), 1, /no branch is checked out/, /try: set `target:` in furrow\.yaml/);
});

it('a target branch that goes away is a question; the farm goes on by itself when it is back', async () => {
  await using repo = await scriptedRepo('target: release\n');
  await repo.git('branch', 'release');
  await writeBoard(repo, [{ id: 1, script: file(1) }]);
  await using running = farm(repo);
  expect(await running.furrow('work', '--parallel', '1')).toMatchObject({ code: 0 });
  await running.furrow('work', '--parallel', '1', '--until', 'forever', '--detach');
  const landed = await repo.git('rev-parse', 'release');
  await repo.git('branch', '--delete', '--force', 'release');
  await expect
    .poll(() => attention(repo))
    .toMatchObject([{ kind: 'target', subject: 'release', reason: expect.stringContaining('there is no branch release') }]);
  await writeBoard(repo, [{ id: 2, script: file(2) }]);
  await repo.git('branch', 'release', landed);
  await expect.poll(async () => (await running.ask('list')).map((task: { state: string }) => task.state)).toEqual(['landed', 'landed']);
  await expect.poll(() => repo.git('show', 'release:src/2.txt').catch(() => '')).toBe('2');
  await expect.poll(() => attention(repo)).toEqual([]);
});

it('publishing waits for changes of the user only where a landing touches the same file, and then loses none of them', async () => {
  await using repo = await scriptedRepo('', { 'src/2.txt': 'old\n' });
  await writeBoard(repo, [{ id: 1, script: file(1) }]);
  await repo.write('README.md', 'changed by the user\n');
  await repo.write('src/3.txt', 'untracked\n');
  const before = await snapshotUserFiles(repo.root, repo);
  await using running = farm(repo);
  expect(await running.furrow('work', '--parallel', '1')).toMatchObject({ code: 0 });
  expect(await readFile(join(repo.root, 'src/1.txt'), 'utf8')).toBe('1\n');

  await repo.write('src/2.txt', 'mine\n');
  await writeBoard(repo, [
    { id: 2, script: file(2) },
    { id: 3, script: file(3) },
  ]);
  const seen = await repo.git('rev-parse', 'main');
  expect(await running.furrow('work', '--parallel', '1')).toMatchObject({ code: 0 });
  expect(await attention(repo)).toMatchObject([
    { kind: 'publish', reason: expect.stringMatching(/your (changes to src\/2\.txt|.*src\/3\.txt)/) },
  ]);
  expect(await repo.git('rev-parse', 'main')).toBe(seen);
  expect(await snapshotUserFiles(repo.root, repo)).toEqual({ ...before, 'src/2.txt': expect.any(String) });
  await repo.git('checkout', '--', 'src/2.txt');
  await rm(join(repo.root, 'src/3.txt'));
  await expect.poll(() => repo.git('show', 'main:src/3.txt').catch(() => '')).toBe('3');
  await expect.poll(() => attention(repo)).toEqual([]);
  expect(await readFile(join(repo.root, 'README.md'), 'utf8')).toBe('changed by the user\n');
});

it.each([
  ['spaces, quotes, expansions and letters beyond ASCII', `a b 'c' "d" #(touch x) $(touch y) \`touch z\` ; é ☃`],
  ['more bytes than a socket may have', `${'p'.repeat(100)}/${'q'.repeat(100)}`],
])('a repository whose path has %s is worked through like any other', async (_what, name) => {
  await using repo = await shellRepo({ 1: commits('1') });
  const root = join(repo.base, name);
  await repo.git('clone', '--quiet', repo.root, root);
  await repo.git('-C', root, 'config', 'user.name', 'Test');
  await repo.git('-C', root, 'config', 'user.email', 'test@furrow.invalid');
  const odd: TestRepo = { ...repo, root, git: (...args) => repo.git('-C', root, ...args) };
  try {
    {
      await using running = farm(odd);
      expect(await running.furrow('add', 'one')).toMatchObject({ code: 0, stdout: '1\n' });
      const work = await running.furrow('work', '--parallel', '1');
      expect(work, work.stderr).toMatchObject({ code: 0 });
    }
    // Only now: a farm puts worktrees away after the work has ended, under the eyes of whoever lists the folder.
    expect(await odd.git('show', 'main:src/1.txt')).toBe('1');
    expect(await repo.git('-C', root, 'fsck', '--no-dangling')).toBe('');
    const made = readdirSync(repo.base, { recursive: true }).map((path) => String(path).split('/').at(-1));
    for (const canary of ['x', 'y', 'z']) expect(made).not.toContain(canary);
  } finally {
    const place = dirname(socketPath(root));
    if (!place.startsWith(repo.base)) await rm(place, { recursive: true, force: true });
  }
});

it('a daemon ended by SIGTERM leaves its agents at work, and the next one takes them up again', async () => {
  await using repo = await shellRepo({ 1: `until [ -e ../../../../go ]; do sleep 0.1; done; ${commits('1')}` });
  await writeBoard(repo, [{ id: 1 }]);
  await using running = farm(repo);
  await running.furrow('work', '--parallel', '1', '--detach');
  await expect.poll(async () => (await running.ask('status')).agents[0]?.state).toBe('working');
  const atWork = () =>
    allProcesses().filter((seen) => variable(seen, 'FURROW_REPO') === repo.root && variable(seen, 'FURROW_TASK') === '1');
  await expect.poll(atWork).not.toEqual([]);
  const agents = atWork();
  const before = (await running.ask('status')).farm.pid;
  process.kill(before, 'SIGTERM');
  await expect.poll(() => existsSync(socketPath(repo.root))).toBe(false);
  expect(agents.filter(lives).length).toBeGreaterThan(0);
  const after = await running.ask('status');
  expect(after.farm.pid).not.toBe(before);
  expect(after.agents).toMatchObject([{ state: 'working', task: '1', attempt: 1 }]);
  await repo.write('../go', '');
  expect(await running.furrow('work', '--parallel', '1')).toMatchObject({ code: 0 });
  expect(await running.ask('list')).toMatchObject([{ id: '1', state: 'landed', attempt: 1 }]);
  await running.furrow('stop', '--all');
  expect(await fsck(repo)).toEqual([]);
});

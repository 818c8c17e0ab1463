import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { BIN } from '../../support/farm.ts';
import { emptyStatus, farmAt, farmWith, folder, furrow, git, repository } from './stub.ts';

const PACKAGE = fileURLToPath(new URL('../../..', import.meta.url));
const OLD_NODE = '/usr/bin/node';

function major(node: string): number {
  const found = spawnSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' });
  return found.status === 0 ? Number.parseInt(found.stdout, 10) : Number.POSITIVE_INFINITY;
}

describe.skipIf(major(OLD_NODE) >= 24)('the launcher under an old Node (skipped where the system has Node 24 or none)', () => {
  it('relaunches itself on the Node of the checkout', async () => {
    await using repo = await repository();
    const ended = await furrow(['--version'], { cwd: repo.root, node: OLD_NODE, file: BIN });
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout).toBe(`${(JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as { version: string }).version}\n`);
  });

  it('passes on the exit code', async () => {
    await using repo = await repository();
    expect((await furrow(['nonsense'], { cwd: repo.root, node: OLD_NODE, file: BIN })).code).toBe(2);
  });

  it('passes on a Ctrl-C that was sent to it alone, and ends as the command does', async () => {
    await using repo = await repository();
    let tell = () => {};
    await using farm = await farmAt(repo.root, ({ id, call }, reply) => {
      if (call === 'work') reply({ id, result: { phase: 'default', parallel: 1, agents: ['ada'], target: 'main' } });
      if (call === 'log') tell = () => reply({ id, item: TOOK_IT });
      if (call === 'settled') tell();
      if (call === 'stop') reply({ id, error: { code: 'NO', message: 'it was asked to stop' } });
    });
    const onStderr = (text: string, pid: number) => text.includes('took it') && process.kill(pid, 'SIGINT');
    const ended = await furrow(['work'], { cwd: repo.root, node: OLD_NODE, file: BIN, onStderr });
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringMatching(/stopping.*\nfurrow: it was asked to stop/) });
    expect(farm.asked.at(-1)).toMatchObject({ call: 'stop' });
  });

  it('says what is missing when there is no newer Node', async () => {
    const alone = folder();
    mkdirSync(join(alone, 'bin'));
    cpSync(BIN, join(alone, 'bin', 'furrow.cjs'));
    const ended = await furrow(['status'], { cwd: alone, node: OLD_NODE, file: join(alone, 'bin', 'furrow.cjs') });
    expect(ended).toMatchObject({ code: 78, stdout: '', stderr: expect.stringContaining('furrow needs Node 24') });
    rmSync(alone, { recursive: true });
  });
});

it('compiled code is kept in the cache of the user, not where others may put theirs', () => {
  const [home, shared] = [folder(), folder()];
  const env = { PATH: process.env['PATH'], HOME: home, TMPDIR: shared };
  expect(spawnSync(process.execPath, [BIN, '--version'], { env }).status).toBe(0);
  expect(existsSync(join(home, '.cache', 'furrow', 'compiled'))).toBe(true);
  expect(readdirSync(shared)).toEqual([]);
  for (const one of [home, shared]) rmSync(one, { recursive: true });
});

it('the launcher works through a link, as npm installs it', async () => {
  await using repo = await repository();
  const link = join(repo.root, 'furrow');
  symlinkSync(BIN, link);
  expect(await furrow(['--help'], { cwd: repo.root, file: link })).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('furrow demo'),
  });
});

describe('a command', () => {
  it('exits with 2 and its usage for wrong words', async () => {
    await using repo = await repository();
    const ended = await furrow(['work', '--paralel', '2'], { cwd: repo.root });
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr.split('\n')).toEqual([
      'furrow: furrow work has no option --paralel; did you mean --parallel?',
      expect.stringContaining('  usage: furrow work [PHASE]'),
      '  try: furrow work --help',
      '',
    ]);
  });

  it('exits with 1, a sentence and a hint outside a repository', async () => {
    const outside = folder();
    const ended = await furrow(['status'], { cwd: outside });
    expect(ended).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('is not inside a git repository') });
    expect(ended.stderr).toContain('  try: git init');
    rmSync(outside, { recursive: true });
  });

  it('exits with 1 and the words of the daemon when that says no', async () => {
    await using repo = await repository();
    await using _farm = await farmWith(repo.root, {});
    expect(await furrow(['show', '9'], { cwd: repo.root })).toEqual({
      code: 1,
      stdout: '',
      stderr: 'furrow: no show here\n  try: furrow list\n',
    });
  });

  it('prints exactly one JSON document, from any folder with --repo before or after the command', async () => {
    await using repo = await repository();
    await using _farm = await farmWith(repo.root, { status: emptyStatus });
    for (const words of [
      ['status', '--json', '--repo', repo.root],
      ['--repo', repo.root, '--json', 'status'],
      [`--repo=${repo.root}`, 'status', '--json'],
    ]) {
      const ended = await furrow(words, { cwd: '/' });
      expect(ended).toMatchObject({ code: 0, stderr: '' });
      expect(JSON.parse(ended.stdout)).toEqual(emptyStatus);
      expect(ended.stdout.trimEnd()).not.toContain('\n');
    }
  });

  it('takes --repo before a command of two words as before any other', async () => {
    await using repo = await repository();
    await using _farm = await farmWith(repo.root, { pauseQueue: { paused: true } });
    const after = await furrow(['queue', 'pause', '--repo', repo.root], { cwd: '/' });
    expect(after).toMatchObject({ code: 0, stderr: '' });
    expect(await furrow(['--repo', repo.root, 'queue', 'pause'], { cwd: '/' })).toEqual(after);
  });

  it('lets no terminal command of a task or an agent through, in answers and in errors', async () => {
    await using repo = await repository();
    const evil = '\x1b]0;owned\x07\x1b[2Jred\u202e';
    const attention = [{ id: '3', kind: 'parked', subject: evil, reason: evil, since: '2030-01-01T00:00:00Z' }];
    await using _farm = await farmAt(repo.root, ({ id, call }, reply) =>
      reply(call === 'status' ? { id, result: { ...emptyStatus, attention } } : { id, error: { code: 'NO', message: evil, hint: evil } }),
    );
    for (const words of [['status'], ['next'], ['show', '1']]) {
      const { stdout, stderr } = await furrow(words, { cwd: repo.root });
      expect(stdout + stderr).toContain('red');
      expect(stdout + stderr).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]/);
    }
  });

  it('ends quietly when nobody reads its output any more', async () => {
    await using repo = await repository();
    const tasks = Array.from({ length: 20_000 }, (_, i) => ({
      id: String(i),
      title: 'a title',
      phase: 'default',
      state: 'ready',
      reason: null,
      agent: null,
    }));
    await using _farm = await farmWith(repo.root, { list: { tasks, quarantined: [], problems: [] } });
    const script = `"${process.execPath}" "${BIN}" list --repo "${repo.root}" | head -n 1`;
    const shell = await promisify(execFile)('bash', ['-c', script]);
    expect(shell).toEqual({ stdout: '○ 0      ready  a title\n', stderr: '' });
  });

  it('refuses the words of agents outside an agent', async () => {
    await using repo = await repository();
    const env = { FURROW_AGENT: '', FURROW_TASK: '' };
    const ended = await furrow(['done'], { cwd: repo.root, env });
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining('only an agent that furrow started can say this') });
  });

  it('speaks for the attempt of the agent that calls it', async () => {
    await using repo = await repository();
    await using farm = await farmWith(repo.root, { blocked: { task: '4' } });
    const env = { FURROW_AGENT: 'ada', FURROW_TASK: '4', FURROW_PHASE: 'default', FURROW_ATTEMPT: '2' };
    await furrow(['blocked', '--reason', 'no key'], { cwd: repo.root, env });
    expect(farm.asked[0]).toMatchObject({
      call: 'blocked',
      args: { speaker: { agent: 'ada', task: '4', phase: 'default', attempt: 2 }, reason: 'no key' },
    });
  });

  it.each(['status', 'list', 'stop --all', 'add x', 'doctor', 'diff 1'])('in a folder that was removed %s is a sentence', async (words) => {
    const script = `mkdir "$2" && cd "$2" && rmdir "$2" && exec "$0" "$1" ${words}`;
    const gone = join(tmpdir(), `furrow-gone-${process.pid}`);
    const said = spawnSync('sh', ['-c', script, process.execPath, BIN, gone], { encoding: 'utf8' });
    expect(said).toMatchObject({ status: 1, stdout: '', stderr: 'furrow: the folder that you are in was removed\n  try: cd\n' });
  });

  it('starts no daemon to stop one that is not there', async () => {
    await using repo = await repository();
    expect(await furrow(['stop', '--all'], { cwd: repo.root })).toMatchObject({ code: 0, stdout: 'the farm is not running\n' });
    expect(existsSync(join(repo.root, '.furrow'))).toBe(false);
  });
});

const TOOK_IT = { seq: 1, at: '2999-01-01T00:00:00Z', kind: 'x', agent: 'ada', task: '1', attempt: 1, text: 'took it', data: {} };

describe('furrow work', () => {
  const settled = {
    phase: 'default',
    landed: 1,
    total: 2,
    left: [{ id: '2', title: 'Show', state: 'parked', reason: 'failed 3 times' }],
    stopped: true,
    outputs: [],
  };

  it('exits with 0 only if every task landed', async () => {
    await using repo = await repository();
    const done = { ...settled, landed: 2, left: [], stopped: false, outputs: [] };
    await using _farm = await farmWith(repo.root, {
      work: { phase: 'default', parallel: 1, agents: ['ada'], target: 'main' },
      settled: done,
      log: {},
    });
    const ended = await furrow(['work', '--json'], { cwd: repo.root });
    expect(ended.code).toBe(0);
    expect(JSON.parse(ended.stdout)).toEqual(done);
  });

  it('stops gracefully at the first Ctrl-C and then says what is left and why', async () => {
    await using repo = await repository();
    let [settle, tell] = [() => {}, () => {}];
    await using farm = await farmAt(repo.root, ({ id, call }, reply) => {
      if (call === 'work') reply({ id, result: { phase: 'default', parallel: 1, agents: ['ada'], target: 'main' } });
      // The last call before it waits: nothing can overtake the signal from here on.
      if (call === 'settled') {
        settle = () => reply({ id, result: settled });
        tell();
      }
      if (call === 'log') tell = () => reply({ id, item: TOOK_IT });
      if (call === 'stop') {
        reply({ id, result: { stopped: ['ada'], farm: false } });
        settle();
      }
    });
    const ended = await furrow(['work'], {
      cwd: repo.root,
      onStderr: (text, pid) => text.includes('took it') && process.kill(pid, 'SIGINT'),
    });
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(/ada .* 1 .* took it\nfurrow: stopping/);
    expect(ended.stdout).toContain('1 of 2 tasks of default landed');
    expect(ended.stdout).toMatch(/✖ 2\s+parked\s+Show\s+failed 3 times/);
    expect(farm.asked.map(({ call }) => call)).toEqual(['log', 'work', 'settled', 'stop']);
  });

  it('leaves the farm running at a second Ctrl-C, without having stopped anything, and says so', async () => {
    await using repo = await repository();
    let tell = () => {};
    await using farm = await farmAt(repo.root, ({ id, call }, reply) => {
      if (call === 'work') reply({ id, result: { phase: 'default', parallel: 1, agents: ['ada'], target: 'main' } });
      if (call === 'log') tell = () => reply({ id, item: TOOK_IT });
      if (call === 'settled') tell();
    });
    // The second one after the time in which a signal to the group and one passed on by the launcher count as one.
    const onStderr = (text: string, pid: number) => {
      if (text.includes('took it')) for (const _twice of [1, 2]) process.kill(pid, 'SIGINT');
      if (text.includes('stopping')) setTimeout(() => process.kill(pid, 'SIGINT'), 100);
    };
    const ended = await furrow(['work'], { cwd: repo.root, onStderr });
    expect(ended).toMatchObject({ code: 130, stderr: expect.stringContaining('the farm goes on without this command') });
    expect(farm.asked.map(({ call }) => call)).toEqual(['log', 'work', 'settled']);
  });

  it('takes the stop back at a late second Ctrl-C, and says when nothing was left of it', async () => {
    await using repo = await repository();
    let tell = (_seq: number) => {};
    await using farm = await farmAt(repo.root, ({ id, call }, reply) => {
      if (call === 'work') reply({ id, result: { phase: 'default', parallel: 1, agents: ['ada'], target: 'main' } });
      if (call === 'log') tell = (seq) => reply({ id, item: { ...TOOK_IT, seq } });
      if (call === 'settled') tell(1);
      if (call === 'stop') tell(2);
      if (call === 'carryOn') reply({ id, result: { agents: [] } });
    });
    const onStderr = (text: string, pid: number) => text.includes('took it') && process.kill(pid, 'SIGINT');
    const ended = await furrow(['work'], { cwd: repo.root, onStderr });
    expect(ended).toMatchObject({ code: 130, stderr: expect.stringContaining('none starts again: furrow work resumes') });
    expect(farm.asked.map(({ call }) => call)).toEqual(['log', 'work', 'settled', 'stop', 'carryOn']);
  });
});

describe('furrow init', () => {
  it('writes what is missing by what it finds, and a second time changes nothing', async () => {
    await using repo = await repository();
    writeFileSync(join(repo.root, 'package.json'), '{"scripts":{"test":"mocha"},"devDependencies":{"mocha":"11"}}');
    execFileSync('git', ['add', 'package.json'], { cwd: repo.root });
    writeFileSync(join(repo.root, 'Cargo.toml'), 'not tracked, so it is no part of the project');
    mkdirSync(join(repo.root, 'tools'));
    writeFileSync(join(repo.root, 'tools', 'codex'), '#!/bin/sh\n', { mode: 0o755 });
    symlinkSync(execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim(), join(repo.root, 'tools', 'git'));
    const env = { PATH: `${join(repo.root, 'tools')}:/nowhere` };
    const first = await furrow(['init', '--yes', '--json'], { cwd: repo.root, env });
    expect(JSON.parse(first.stdout)).toMatchObject({
      wrote: ['furrow.yaml', 'board/'],
      board: 'board',
      check: 'npm test',
      agents: ['codex'],
      proposal: {
        kinds: [{ name: 'npm', chosen: true }],
        setup: [{ run: 'npm install --no-package-lock', because: 'no lockfile is tracked, so none is written' }],
        remarks: [{ text: 'npm is not on the PATH' }],
      },
    });
    const text = readFileSync(join(repo.root, 'furrow.yaml'), 'utf8');
    expect(text).toMatch(/^check: npm test$/m);
    expect(text).toMatch(/^agent: codex$/m);
    const second = await furrow(['init'], { cwd: repo.root, env });
    expect(second.stdout).toContain('furrow.yaml  is there already, left as it is');
    expect(second.stdout).toMatch(/^set-up +npm install --no-package-lock +no lockfile is tracked, so none is written$/m);
    expect(second.stdout).toContain('keep it to yourself: echo /board/ >> .git/info/exclude');
    expect(second.stdout).not.toContain('furrow.yaml does not have');
    // One that was written before the project had a check is not changed, but what it lacks is said.
    writeFileSync(join(repo.root, 'furrow.yaml'), 'agent: codex\n');
    const third = await furrow(['init'], { cwd: repo.root, env });
    expect(third.stdout).toMatch(/does not have all .* add:\n {2}check: npm test\n {2}worktree:\n {4}setup:\n {6}- npm install/);
    writeFileSync(join(repo.root, 'furrow.yaml'), text);
    const config = await furrow(['config', '--json'], { cwd: repo.root });
    await furrow(['stop', '--all', '--now'], { cwd: repo.root });
    expect(JSON.parse(config.stdout)).toMatchObject({ agent: 'codex', checks: [{ run: 'npm test' }], in_force: { source: 'checkout' } });
    expect(execFileSync('git', ['status', '--porcelain'], { cwd: repo.root, encoding: 'utf8' })).not.toContain('.furrow');
  });

  it('goes by the furrow.yaml that is there: its board, and no word of a check or an agent that it has', async () => {
    await using repo = await repository();
    writeFileSync(join(repo.root, 'furrow.yaml'), 'board: plan\ncheck: make\n');
    const said = await furrow(['init', '--yes'], { cwd: repo.root });
    expect(said).toMatchObject({ code: 0, stdout: expect.stringContaining('plan/  written') });
    expect(said.stdout).not.toContain('none found');
    expect([existsSync(join(repo.root, 'plan')), existsSync(join(repo.root, 'board'))]).toEqual([true, false]);
  });

  it('says of a repository without a commit that it needs one first, and with which command', async () => {
    await using repo = await repository();
    git(repo.root, 'update-ref', '-d', 'HEAD');
    const said = await furrow(['init', '--yes'], { cwd: repo.root });
    expect(said).toMatchObject({ code: 0, stdout: expect.stringContaining('no commit yet, and agents branch from one:') });
    expect(said.stdout).toContain('git add furrow.yaml board && git commit');
    git(repo.root, '-c', 'user.name=Test', '-c', 'user.email=test@example.org', 'commit', '--quiet', '--allow-empty', '-m', 'first');
    expect((await furrow(['init', '--yes'], { cwd: repo.root })).stdout).not.toContain('no commit yet');
  });

  it('uses a board that is there under another name', async () => {
    await using repo = await repository();
    mkdirSync(join(repo.root, 'kanban', 'tasks'), { recursive: true });
    await furrow(['init', '--yes'], { cwd: repo.root });
    expect(readFileSync(join(repo.root, 'furrow.yaml'), 'utf8')).toMatch(/^board: kanban$/m);
    expect(existsSync(join(repo.root, 'board'))).toBe(false);
  });
});

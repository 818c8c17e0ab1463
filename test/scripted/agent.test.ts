import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { exec } from '../../src/platform/exec.ts';
import { lostCommits } from '../support/oracle.ts';
import { assertNoLeak, lives, look, processesOf } from '../support/processes.ts';
import { gitRepo, plainEnv, type TestRepo } from '../support/repo.ts';

const program = fileURLToPath(new URL('../../src/agents/agent/scripted/main.ts', import.meta.url));
const shell = fileURLToPath(new URL('../support/agent.sh', import.meta.url));

interface Told {
  readonly script?: string[];
  readonly attempt?: number;
  readonly task?: string;
  readonly env?: Record<string, string>;
}

function start(repo: TestRepo, argv: [string, ...string[]], told: Told, onSpawn?: (pid: number) => void) {
  const prompt = join(repo.base, `prompt-${told.task ?? '1'}`);
  writeFileSync(prompt, `# Task\n\n\`\`\`script\n${(told.script ?? []).join('\n')}\n\`\`\`\n`);
  const env = {
    ...plainEnv(repo),
    FURROW_AGENT: 'calm-otter',
    FURROW_PHASE: 'default',
    FURROW_TASK: told.task ?? '1',
    FURROW_ATTEMPT: String(told.attempt ?? 1),
    FURROW_PROMPT_FILE: prompt,
    ...told.env,
  };
  return exec(argv, { cwd: repo.root, env, timeoutMs: 120_000, ...(onSpawn && { onSpawn }) });
}

const agent = (repo: TestRepo, ...script: string[]) => start(repo, [process.execPath, program], { script });
const read = (repo: TestRepo, path: string) => readFileSync(join(repo.root, path), 'utf8');

it('edits, commits what it touched, and leaves what it was told to leave', async () => {
  await using repo = await gitRepo({ 'a.txt': 'one\ntwo\nthree\n', 'old.txt': 'x\n' });
  const done = await agent(
    repo,
    'line a.txt 2 TWO',
    'append a.txt four',
    'append a.txt four',
    'delete old.txt',
    'dirty left.txt later',
    'commit the edits',
  );
  expect(done).toMatchObject({ code: 0, stderr: '' });
  expect(read(repo, 'a.txt')).toBe('one\nTWO\nthree\nfour\n');
  expect(await repo.git('log', '-1', '--format=%s|%an')).toBe('the edits|scripted agent');
  expect(await repo.git('status', '--porcelain')).toBe('?? left.txt');
});

it('does the same work twice without a second commit, so a rework may go on from the first', async () => {
  await using repo = await gitRepo();
  await agent(repo, 'write b.txt b', 'append README.md more', 'commit once');
  const first = await repo.git('rev-parse', 'HEAD');
  expect((await agent(repo, 'write b.txt b', 'append README.md more', 'commit twice')).code).toBe(0);
  expect(await repo.git('rev-parse', 'HEAD')).toBe(first);
});

it('ends as the contract says: done, blocked with its last line, failed, killed', async () => {
  await using repo = await gitRepo();
  expect((await agent(repo, 'say fine')).code).toBe(0);
  expect(await agent(repo, 'say hm', 'blocked no key for the door')).toMatchObject({ code: 75, stdout: 'hm\nno key for the door\n' });
  expect((await agent(repo, 'fail 3', 'say never')).code).toBe(3);
  expect((await agent(repo, 'crash')).signal).toBe('SIGKILL');
  expect(await agent(repo, 'dance')).toMatchObject({ code: 1, stderr: expect.stringContaining('dance') });
});

it('resolves a conflict with the target by keeping both sides', async () => {
  await using repo = await gitRepo({ 'guests.txt': 'guests\nnobody\n' });
  await repo.git('checkout', '-q', '-b', 'mine');
  await agent(repo, 'line guests.txt 2 Grace', 'commit Grace comes');
  await repo.git('checkout', '-q', 'main');
  await agent(repo, 'line guests.txt 2 Ada', 'commit Ada comes');
  await repo.git('update-ref', 'refs/furrow/head/main', 'main');
  await repo.git('checkout', '-q', 'mine');
  expect((await agent(repo, 'merge $target')).code).toBe(0);
  expect(read(repo, 'guests.txt')).toBe('guests\nGrace\nAda\n');
  expect(await repo.git('merge-base', 'main', 'HEAD')).toBe(await repo.git('rev-parse', 'main'));
});

it('commits on a detached head when told to, and claims to be done without a commit', async () => {
  await using repo = await gitRepo();
  expect((await agent(repo, 'detach')).code).toBe(0);
  expect((await repo.tryGit('symbolic-ref', '-q', 'HEAD')).code).toBe(1);
  expect(await repo.git('rev-list', '--count', 'main..HEAD')).toBe('1');
  expect((await agent(repo, 'lie', 'fail 9')).code).toBe(0);
});

it('floods its terminal and comes to its end', async () => {
  await using repo = await gitRepo();
  const done = await agent(repo, 'flood 2', 'say after');
  expect(done.stdout.length).toBe(2 * 1024 * 1024 + 'after\n'.length);
});

it('leaves children behind that only a search finds, and hears no signal', async () => {
  await using repo = await gitRepo();
  await agent(repo, 'fork 3');
  // One of them is `nohup` for a moment before it is `sleep`.
  await expect.poll(() => processesOf(repo.base).map((p) => p.command)).toEqual(['sleep 600', 'sleep 600', 'sleep 600']);
  const left = processesOf(repo.base);
  await expect(assertNoLeak(repo.base, 100)).rejects.toThrow('left behind');
  await expect.poll(() => left.filter(lives)).toEqual([]);

  let pid = 0;
  const running = start(repo, [process.execPath, program], { script: ['ignore-signals', 'dirty deaf.txt now', 'work 600'] }, (spawned) => {
    pid = spawned;
  });
  await expect.poll(() => existsSync(join(repo.root, 'deaf.txt'))).toBe(true);
  process.kill(pid, 'SIGTERM');
  process.kill(pid, 'SIGHUP');
  expect(await running).toMatchObject({ code: 0, stdout: expect.stringContaining('working (2)') });
});

it.each([
  ['the scripted agent', [process.execPath, program] as [string, string], 1500],
  ['the sh agent', ['sh', shell] as [string, string], 500],
])('%s screams when the same task runs twice, forgives the dead, and notes its commits', async (_name, argv, ms) => {
  await using repo = await gitRepo();
  const witness = join(repo.base, 'witness');
  mkdirSync(witness);
  const told = { task: '20', env: { FURROW_WITNESS: witness }, script: [`write work/a.txt ${ms}`, 'commit a', `work ${ms}`] };
  const screams = () => readdirSync(witness).filter((name) => name.startsWith('OVERLAP'));
  const log = join(witness, 'commits.log');
  // The file is there before the line is: killed in between, the agent would have noted nothing.
  const noted = () => (existsSync(log) ? readFileSync(log, 'utf8') : '');

  let pid = 0;
  const killed = start(repo, argv, told, (spawned) => {
    pid = spawned;
  });
  await expect.poll(noted, { interval: 2 }).toContain(' default/20\n');
  // It may have come to its end by itself in that moment, which is as dead.
  if (lives({ pid, start: look(pid)?.start ?? '' })) process.kill(-pid, 'SIGKILL');
  await killed;

  await Promise.all([start(repo, argv, told), start(repo, argv, { ...told, attempt: 2 })]);
  expect(screams()).toHaveLength(1);
  await start(repo, argv, told);
  expect(screams()).toHaveLength(1);
  expect(await lostCommits(repo, witness)).toEqual([]);
});

it('the sh agent fails first where it should, and is right the second time', async () => {
  await using repo = await gitRepo();
  expect((await start(repo, ['sh', shell], { task: '7' })).code).toBe(3);
  expect((await start(repo, ['sh', shell], { task: '7', attempt: 2 })).code).toBe(0);
  await start(repo, ['sh', shell], { task: '11' });
  expect(read(repo, 'work/default-11.txt')).toContain('bad');
  await start(repo, ['sh', shell], { task: '11', attempt: 2 });
  expect(read(repo, 'work/default-11.txt')).toBe('made by calm-otter\ngood\n');
});

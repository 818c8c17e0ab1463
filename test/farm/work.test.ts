import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { writeBoard } from '../support/board.ts';
import { farm } from '../support/farm.ts';
import { fsck, replayChecks, snapshotUserFiles } from '../support/oracle.ts';
import { gitRepo } from '../support/repo.ts';

const CONFIG = 'agent: scripted\nagents:\n  scripted: { driver: scripted }\ncheck: sh check.sh\n';
/** Red when a file says so: agents can break it and put it right. */
const CHECK = 'if grep -rqs bad src; then echo bad; exit 1; fi\n';

const start = () =>
  gitRepo({ 'furrow.yaml': CONFIG, 'check.sh': CHECK, '.gitignore': '*.env\n', 'src/list.txt': 'list\nnobody\n', 'README.md': 'x\n' });
const file = (n: number) => [`write src/${n}.txt ${n}`, `commit ${n}`];

it('works through a board: dependencies, a conflict, a red check, a crash; main is never red and the user keeps every byte', async () => {
  await using repo = await start();
  const first = await repo.git('rev-parse', 'HEAD');
  await repo.write('README.md', 'changed by the user\n');
  await repo.write('notes.txt', 'untracked\n');
  await repo.write('local.env', 'ignored\n');
  const meet = (name: string) => [
    'attempt 1:',
    'work 500',
    `line src/list.txt 2 ${name}`,
    `commit ${name}`,
    'attempt 2:',
    'merge $target',
    `append src/list.txt ${name}`,
    'commit both',
  ];
  await writeBoard(repo, [
    { id: 1, title: 'Ada', priority: 'critical', script: meet('Ada') },
    { id: 2, title: 'Grace', priority: 'critical', script: meet('Grace') },
    { id: 3, title: 'Red first', script: ['attempt 1:', 'write src/3.txt bad', 'commit 3', 'attempt 2:', ...file(3)] },
    { id: 4, title: 'Crash first', script: ['attempt 1:', 'write src/4.txt half', 'crash', 'attempt 2:', ...file(4)] },
    { id: 5, title: 'After all', depends_on: [1, 2, 3, 4], script: file(5) },
  ]);
  const before = await snapshotUserFiles(repo.root, repo);
  await using running = farm(repo);

  const work = await running.furrow('work', '--parallel', '3');
  expect(work, work.stderr).toMatchObject({ code: 0 });

  const tasks = await running.ask('list');
  expect(tasks.map((task: { id: string; state: string; attempt: number }) => [task.id, task.state, task.attempt > 1])).toEqual([
    ['1', 'landed', expect.any(Boolean)],
    ['2', 'landed', expect.any(Boolean)],
    ['3', 'landed', true],
    ['4', 'landed', true],
    ['5', 'landed', false],
  ]);
  expect((await repo.git('show', 'main:src/list.txt')).split('\n')).toEqual(expect.arrayContaining(['Ada', 'Grace']));
  const events = await running.events();
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, n) => n + 1));
  const kinds = ['attempt.started', 'entry.submitted', 'landing.landed', 'task.handed-back', 'work.settled'];
  expect(events.map(({ kind }) => kind)).toEqual(expect.arrayContaining(kinds));
  await running.furrow('stop', '--all');
  const { commits, red } = await replayChecks(repo, 'main', 'sh check.sh', first);
  expect(commits.length).toBeGreaterThan(1);
  expect(red).toEqual([]);
  expect(await snapshotUserFiles(repo.root, repo)).toEqual(before);
  expect(await fsck(repo)).toEqual([]);
});

it('says what is left and why when an agent is blocked, and ends with 1', async () => {
  await using repo = await start();
  await writeBoard(repo, [
    { id: 1, title: 'Blocked', script: ['blocked the door is locked'] },
    { id: 2, title: 'Behind it', depends_on: [1], script: file(2) },
    { id: 3, title: 'Free', script: file(3) },
  ]);
  await using running = farm(repo);
  const work = await running.furrow('work', '--parallel', '2');
  expect(work.code).toBe(1);
  expect(work.stdout + work.stderr).toContain('the door is locked');
  expect(await repo.git('show', 'main:src/3.txt')).toBe('3');
  const why = await running.ask('why', '2');
  expect(JSON.stringify(why.reasons)).toContain('1');
});

it('ends agents that ignore signals and children that slipped away, and leaves their work', async () => {
  await using repo = await start();
  await writeBoard(repo, [{ id: 1, title: 'Nasty', script: ['write src/1.txt 1', 'commit 1', 'ignore-signals', 'fork 3', 'hang'] }]);
  {
    await using running = farm(repo);
    await running.furrow('work', '--parallel', '1', '--detach');
    await expect
      .poll(async () => (await repo.git('for-each-ref', '--contains', 'main', '--format=%(refname)', 'refs/heads/furrow/')) !== '')
      .toBe(true);
    await expect.poll(async () => Number(await repo.git('rev-list', '--count', 'main..', '--branches=furrow/*'))).toBe(1);
    // Disposing stops the farm now and fails if one process of it lives.
  }
  expect(Number(await repo.git('rev-list', '--count', '--all', '--not', 'main'))).toBe(1);
  expect(existsSync(`${repo.root}/.git/index.lock`)).toBe(false);
});

import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeBoard } from '../support/board.ts';
import { onPostgres } from '../support/engines.ts';
import { farm, type TestFarm } from '../support/farm.ts';
import { fsck } from '../support/oracle.ts';
import type { TestRepo } from '../support/repo.ts';
import { commits, file, SCRIPTED, SHELL, scriptedRepo, shellRepo } from './shell.ts';

const onMain = (repo: TestRepo, path: string) => repo.git('show', `main:${path}`);
const states = async (running: TestFarm): Promise<string[]> => (await running.ask('list')).map((task: { state: string }) => task.state);
const attention = async (running: TestFarm) =>
  (await running.ask('status')).attention as { id: string; kind: string; subject: string; reason: string }[];
/** Waits in the check until a file is there, so that a test may look at the queue while it stands. */
const GATE = 'while [ ! -e ../../../gate ]; do sleep 0.05; done; if grep -rqs bad src; then echo bad; exit 1; fi\n';

async function branch(repo: TestRepo, name: string, path: string, text: string): Promise<void> {
  await repo.git('switch', '--quiet', '--create', name);
  await repo.write(path, text);
  await repo.git('add', '--', path);
  await repo.git('commit', '--quiet', '--message', name);
  await repo.git('switch', '--quiet', 'main');
}

it('submit lands a branch of a person without any agent, and says why when it does not', async () => {
  await using repo = await scriptedRepo();
  await branch(repo, 'by-hand', 'src/hand.txt', 'hand\n');
  await branch(repo, 'red', 'src/red.txt', 'bad\n');
  await branch(repo, 'clash', 'src/hand.txt', 'other\n');
  await using running = farm(repo);
  const landed = await running.furrow('submit', 'by-hand', '--wait');
  expect(landed, landed.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('landed') });
  await expect.poll(() => repo.git('show', 'main:src/hand.txt').catch(() => '')).toBe('hand');
  const red = await running.furrow('submit', 'red', '--wait');
  expect(red).toMatchObject({ code: 1, stdout: expect.stringContaining('rejected') });
  const clash = await running.furrow('submit', 'clash', '--wait');
  expect(clash).toMatchObject({ code: 1, stdout: expect.stringContaining('src/hand.txt') });
  expect((await running.ask('status')).agents).toEqual([]);
});

it('submit --task lands the work of a person for a task, and what waits for it goes on', async () => {
  await using repo = await scriptedRepo();
  await branch(repo, 'mine', 'src/1.txt', '1\n');
  await writeBoard(repo, [
    { id: 1, script: ['fail 1'] },
    { id: 2, depends_on: [1], script: file(2) },
  ]);
  await using running = farm(repo);
  const done = await running.furrow('submit', 'mine', '--task', '1', '--wait');
  expect(done, done.stderr).toMatchObject({ code: 0 });
  expect(await running.furrow('work', '--parallel', '1')).toMatchObject({ code: 0 });
  expect(await states(running)).toEqual(['landed', 'landed']);
});

it('submit refuses what could never land, and says when the target has it already', async () => {
  await using repo = await scriptedRepo();
  await branch(repo, 'one', 'src/1.txt', '1\n');
  await branch(repo, 'two', 'src/2.txt', '2\n');
  await writeBoard(repo, [{ id: 1 }, { id: 2 }]);
  await repo.git('branch', 'nothing');
  await using running = farm(repo);
  const refused = async (...words: string[]) => (await running.furrow('submit', ...words)).stderr;
  expect(await refused('main')).toContain('cannot land on itself');
  expect(await refused('one', '--task', '1', '--after', '1')).toContain('1 would wait for itself: 1 after 1');
  await running.ask('submit', 'one', '--task', '1', '--after', '2');
  expect(await refused('two', '--task', '2', '--after', '1')).toContain('2 would wait for itself: 2 after 1 after 2');
  const contained = await running.furrow('submit', 'nothing', '--wait');
  expect(contained).toMatchObject({ code: 0, stdout: expect.stringContaining('is landed: the target already has it') });
});

it('a branch submitted for a task waits for what the task depends on, and not for what is done or gone from the board', async () => {
  await using repo = await scriptedRepo();
  for (const n of [1, 2, 3, 4]) await branch(repo, `b${n}`, `src/${n}.txt`, `${n}\n`);
  await writeBoard(repo, [{ id: 1 }, { id: 2, depends_on: [1] }, { id: 3 }, { id: 4 }, { id: 5 }]);
  await using running = farm(repo);
  await running.ask('submit', 'b2', '--task', '2');
  expect((await running.ask('why', '2')).reasons).toMatchObject([{ code: 'waits-for', refs: ['default/1'] }]);
  await running.ask('submit', 'b1', '--task', '1');
  await expect.poll(() => states(running)).toEqual(['landed', 'landed', 'ready', 'ready', 'ready']);
  await running.furrow('move', '5', 'done');
  expect(await running.furrow('submit', 'b3', '--task', '3', '--after', '5', '--wait')).toMatchObject({ code: 0 });
  await running.furrow('queue', 'pause');
  await running.ask('submit', 'b4', '--task', '4', '--after', '1');
  await rm((await running.ask('show', '1')).file);
  expect((await running.ask('list'))[0]).toMatchObject({ id: '1', state: 'landed', missing: expect.any(String) });
  await running.furrow('queue', 'resume');
  await expect.poll(() => states(running)).toEqual(['landed', 'landed', 'landed', 'landed', 'landed']);
});

it('a landing of several tasks is told to whoever asks for any of them', async () => {
  await using repo = await scriptedRepo('queue: { slots: 1 }\n');
  await branch(repo, 'one', 'src/1.txt', '1\n');
  await branch(repo, 'two', 'src/2.txt', '2\n');
  await writeBoard(repo, [{ id: 1 }, { id: 2 }]);
  await using running = farm(repo);
  await running.furrow('queue', 'pause');
  await running.ask('submit', 'one', '--task', '1');
  await running.ask('submit', 'two', '--task', '2');
  await running.furrow('queue', 'resume');
  await expect.poll(() => states(running)).toEqual(['landed', 'landed']);
  for (const task of ['1', '2']) {
    const landed = (await running.events('--task', task)).filter((event) => event.kind === 'landing.landed');
    expect(landed.map((event) => event.data['tasks'])).toEqual([['1', '2']]);
  }
});

it('why tells for each entry what it waits for, and eject takes one out and keeps its commits', async () => {
  const wait = 'while [ ! -e "$HOME/go" ]; do sleep 0.05; done';
  await using repo = await shellRepo({ 1: commits('1'), 2: `${wait}; ${commits('2')}` }, SHELL, { 'check.sh': GATE });
  await writeBoard(repo, [{ id: 1 }, { id: 2 }]);
  await using running = farm(repo);
  await running.furrow('work', '--no-preflight', '--parallel', '2', '--detach');
  await expect.poll(async () => (await states(running))[0]).toBe('submitted');
  await repo.write('../home/go', '');
  await expect.poll(() => states(running)).toEqual(['submitted', 'submitted']);
  const reasons = async (task: string) => (await running.ask('why', task)).reasons.map((one: { text: string }) => one.text).join('; ');
  await expect.poll(() => reasons('1')).toContain('check');
  await expect.poll(() => reasons('2')).toContain('1');
  const entry = (await running.ask('queue')).entries.find((one: { task: string }) => one.task === '2');
  expect(await running.furrow('queue', 'eject', '2')).toMatchObject({ code: 0 });
  await repo.write('../gate', '');
  await expect.poll(() => states(running)).toEqual(['landed', 'parked']);
  expect((await repo.git('rev-list', '--all')).split('\n')).toContain(entry.sha);
  expect((await repo.tryGit('cat-file', '-e', 'main:src/2.txt')).code).not.toBe(0);
  expect((await running.furrow('queue', 'eject', '2')).code).toBe(1);
});

it('a head that is red halts the queue: work ends with 1 and a question, and goes on when main is fixed', async () => {
  await using repo = await scriptedRepo('', { 'src/broken.txt': 'bad\n' });
  await writeBoard(repo, [
    { id: 1, script: file(1) },
    { id: 2, depends_on: [1], script: file(2) },
  ]);
  await using running = farm(repo);
  const work = await running.furrow('work', '--no-preflight', '--parallel', '1');
  expect(work.code).toBe(1);
  expect(await attention(running)).toMatchObject([{ kind: 'queue', reason: expect.stringContaining('main itself fails') }]);
  expect((await running.ask('list'))[0]).toMatchObject({ state: 'submitted', attempt: 1 });
  await repo.write('src/broken.txt', 'good\n');
  await repo.git('commit', '--quiet', '--all', '--message', 'mended');
  const again = await running.furrow('work', '--parallel', '1');
  expect(again, again.stdout + again.stderr).toMatchObject({ code: 0 });
  expect(await attention(running)).toEqual([]);
});

it('publishing waits for a file that the user has changed, says which, touches no byte of it, and goes on when it is put back', async () => {
  await using repo = await scriptedRepo();
  await writeBoard(repo, [
    { id: 1, script: ['append src/list.txt one', 'commit 1'] },
    { id: 2, script: file(2) },
  ]);
  await repo.write('src/list.txt', 'mine\n');
  await using running = farm(repo);
  const work = await running.furrow('work', '--parallel', '1');
  expect(work.stdout + work.stderr).toContain('src/list.txt');
  const status = await running.ask('status');
  expect(status.queue.waiting).toContain('src/list.txt');
  expect(status.queue.head).not.toBe(status.queue.published);
  expect(status.attention).toMatchObject([{ kind: 'publish', reason: expect.stringContaining('src/list.txt') }]);
  expect(await readFile(join(repo.root, 'src/list.txt'), 'utf8')).toBe('mine\n');
  await repo.git('checkout', '--quiet', '--', 'src/list.txt');
  // The branch moves first, then the files, then the farm says so.
  await expect.poll(() => attention(running)).toEqual([]);
  expect(await repo.git('rev-parse', 'main')).toBe(status.queue.head);
  expect(await readFile(join(repo.root, 'src/list.txt'), 'utf8')).toBe('list\nnobody\none\n');
  expect(await repo.git('status', '--porcelain', '--untracked-files=no')).toBe('');
});

it('follows commits that the user makes on main during the run; everything still lands on top of them', async () => {
  const wait = 'while [ ! -e "$HOME/go" ]; do sleep 0.05; done';
  await using repo = await shellRepo({ 1: commits('1'), 2: `${wait}; ${commits('2')}`, 3: commits('3') });
  await writeBoard(
    repo,
    [1, 2, 3].map((id) => ({ id, ...(id > 1 && { depends_on: [id - 1] }) })),
  );
  await using running = farm(repo);
  await running.furrow('work', '--parallel', '1', '--detach');
  // The branch moves first, then the files, then the farm says so.
  await expect.poll(async () => (await running.events()).some((event) => event.kind === 'landing.published')).toBe(true);
  await repo.write('user.txt', 'mine\n');
  await repo.git('add', 'user.txt');
  await repo.git('commit', '--quiet', '--message', 'by the user');
  const mine = await repo.git('rev-parse', 'HEAD');
  await repo.write('../home/go', '');
  await expect.poll(async () => (await running.ask('status')).farm.state).toBe('stopped');
  expect(await states(running)).toEqual(['landed', 'landed', 'landed']);
  expect((await repo.tryGit('merge-base', '--is-ancestor', mine, 'main')).code).toBe(0);
  for (const id of [1, 2, 3]) expect(await onMain(repo, `src/${id}.txt`)).toBe(String(id));
  expect(await onMain(repo, 'user.txt')).toBe('mine');
  expect(await repo.git('status', '--porcelain', '--untracked-files=no')).toBe('');
});

it('landings that were not yet published when the user commits are queued again on top of that', async () => {
  await using repo = await scriptedRepo();
  await writeBoard(repo, [{ id: 1, script: ['append src/list.txt one', 'commit 1'] }]);
  await repo.write('src/list.txt', 'mine\n');
  await using running = farm(repo);
  await running.furrow('work', '--parallel', '1');
  const { head } = (await running.ask('status')).queue;
  await repo.write('user.txt', 'mine\n');
  await repo.git('add', 'user.txt');
  await repo.git('commit', '--quiet', '--message', 'by the user');
  const mine = await repo.git('rev-parse', 'HEAD');
  await expect.poll(async () => (await running.events()).some((event) => event.kind === 'entry.requeued')).toBe(true);
  await repo.git('checkout', '--quiet', '--', 'src/list.txt');
  await expect.poll(() => onMain(repo, 'src/list.txt')).toBe('list\nnobody\none');
  expect((await repo.tryGit('merge-base', '--is-ancestor', mine, 'main')).code).toBe(0);
  expect((await repo.git('rev-list', '--all')).split('\n')).toContain(head);
  expect(await states(running)).toEqual(['landed']);
  await running.furrow('stop', '--all');
  expect(await fsck(repo)).toEqual([]);
});

// Only a file is lost so.
it.skipIf(onPostgres())('a landing that was queued again, and never published, is queued once more when the store is lost', async () => {
  await using repo = await scriptedRepo();
  await writeBoard(repo, [{ id: 1, script: ['append src/list.txt one', 'commit 1'] }]);
  await repo.write('src/list.txt', 'mine\n');
  await using running = farm(repo);
  await running.furrow('work', '--parallel', '1');
  await running.furrow('queue', 'pause');
  await repo.git('commit', '--quiet', '--allow-empty', '--message', 'by the user');
  await expect.poll(async () => (await running.events()).some((event) => event.kind === 'entry.requeued')).toBe(true);
  await running.furrow('stop', '--all');
  await rm(join(repo.root, '.furrow'), { recursive: true });
  await repo.git('checkout', '--quiet', '--', 'src/list.txt');
  const [question] = await attention(running);
  expect(question?.reason).not.toContain('taken out');
  // The word that the farm is stopped is not lost with the store.
  expect((await running.ask('status')).farm.stopped).not.toBeNull();
  await running.furrow('resume');
  await expect.poll(() => states(running)).toEqual(['landed']);
  await expect.poll(() => onMain(repo, 'src/list.txt')).toBe('list\nnobody\none');
});

it('work that was built on a landing which was queued again lands that too, and names it', async () => {
  await using repo = await scriptedRepo();
  await writeBoard(repo, [{ id: 1, script: ['append src/list.txt one', 'commit 1'] }]);
  await repo.write('src/list.txt', 'mine\n');
  await using running = farm(repo);
  await running.furrow('work', '--parallel', '1');
  await running.furrow('queue', 'pause');
  // On top of the first, whose line it replaces, and ahead of it in the queue.
  await writeBoard(repo, [{ id: 2, priority: 'critical', script: ['write src/list.txt two', 'commit 2'] }]);
  await running.furrow('work', '--parallel', '1', '--detach');
  await expect.poll(() => states(running)).toEqual(['landed', 'submitted']);
  await repo.git('commit', '--quiet', '--allow-empty', '--message', 'by the user');
  await expect.poll(async () => (await running.events()).some((event) => event.kind === 'entry.requeued')).toBe(true);
  await repo.git('checkout', '--quiet', '--', 'src/list.txt');
  await running.furrow('queue', 'resume');
  await expect.poll(() => states(running)).toEqual(['landed', 'landed']);
  await expect.poll(() => onMain(repo, 'src/list.txt')).toBe('two');
  const [landing] = (await running.ask('queue')).landings;
  expect([...landing.tasks].sort()).toEqual(['1', '2']);
  const named = await repo.git('log', '-1', '--format=%(trailers:key=Furrow-Task,valueonly,separator=%x2C)', landing.commit);
  expect(named.split(',').sort()).toEqual(['1', '2']);
  expect((await running.ask('list')).map((task: { attempt: number }) => task.attempt)).toEqual([1, 1]);
});

it('lands without any check when none is configured, and says so loudly', async () => {
  await using repo = await scriptedRepo('', { 'furrow.yaml': SCRIPTED.replace(/^check:.*\n/m, '') });
  await writeBoard(repo, [{ id: 1, script: file(1) }]);
  await using running = farm(repo);
  const work = await running.furrow('work', '--parallel', '1');
  expect(work).toMatchObject({ code: 0, stderr: expect.stringContaining('WITHOUT ANY CHECK') });
  expect((await running.furrow('log')).stdout).toContain('WITHOUT ANY CHECK');
});

it("a task's own check is one more that its work must pass before it lands", async () => {
  await using repo = await scriptedRepo();
  const script = ['attempt 1:', 'write src/1.txt half', 'commit 1', 'attempt 2:', 'write src/1.txt whole', 'commit 1'];
  await writeBoard(repo, [{ id: 1, script, more: { check: 'grep -q whole src/1.txt' } }]);
  await using running = farm(repo);
  const work = await running.furrow('work', '--parallel', '1');
  expect(work, work.stderr).toMatchObject({ code: 0 });
  expect(await onMain(repo, 'src/1.txt')).toBe('whole');
  const first = (await running.ask('queue')).entries[0];
  expect(first).toMatchObject({ attempt: 1, state: 'rejected', reason: expect.stringContaining('task-check fails') });
  expect(await repo.git('log', '-1', '--format=%B', 'main')).toContain('Furrow-Check: task-check ok');
});

it('a conflict that comes again unresolved goes back as often as `attempts` says, then is a question with what both sides want; clean keeps its merge until that is settled', async () => {
  const wait = 'while [ ! -e "$HOME/go" ]; do sleep 0.05; done';
  const change = (text: string) => `echo ${text} > src/list.txt; git commit --quiet --all --message ${text}`;
  const stubborn = `[ "$FURROW_ATTEMPT" = 1 ] && { ${wait}; ${change('two')}; exit 0; }; ${commits('again$FURROW_ATTEMPT')}`;
  await using repo = await shellRepo({ 1: change('one'), 2: stubborn }, `${SHELL}attempts: 3\n`);
  await writeBoard(repo, [
    { id: 1, title: 'Say one' },
    { id: 2, title: 'Say two' },
  ]);
  await using running = farm(repo);
  await running.furrow('work', '--parallel', '2', '--detach');
  await expect.poll(async () => (await states(running))[0]).toBe('landed');
  await repo.write('../home/go', '');
  await expect.poll(() => attention(running)).toHaveLength(1);
  const [question] = await attention(running);
  expect(question).toMatchObject({ kind: 'parked', subject: '2', reason: expect.stringContaining('src/list.txt') });
  expect(question?.reason).toMatch(/Its task: Say two\. On the other side: default\/1 \(one\)/);
  expect((await running.ask('show', '2')).attempts).toHaveLength(3);
  const ref = 'refs/furrow/conflict/default/2';
  expect(await repo.git('show', `${ref}:src/list.txt`)).toContain('<<<<<<<');

  const kept = async () => (await running.ask('clean')).kept.find((one: { path: string }) => one.path === ref)?.reason;
  expect(await kept()).toBe(`question ${question?.id} is about it`);
  await running.furrow('answer', question!.id, 'give up');
  expect(await attention(running)).toEqual([]);
  expect(await kept()).toBe('its task is still to be done');
  await running.furrow('move', '2', 'archived');
  expect((await running.ask('clean')).removed).toContainEqual({ path: ref, what: 'ref' });
  expect(await repo.git('for-each-ref', ref)).toBe('');
});

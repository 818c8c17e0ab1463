import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { taskFile, writeBoard } from '../support/board.ts';
import { farm, type TestFarm } from '../support/farm.ts';
import type { TestRepo } from '../support/repo.ts';
import { commits, file, SHELL, scriptedRepo, shellRepo } from './shell.ts';

const FOREVER = ['--until', 'forever', '--detach'];
const read = (repo: TestRepo, path: string) => readFile(join(repo.root, path), 'utf8');
async function states(running: TestFarm): Promise<Record<string, string>> {
  return Object.fromEntries((await running.ask('list')).map((task: { id: string; state: string }) => [task.id, task.state]));
}

it('takes up tasks written or edited by hand while it runs, in place or by rename', async () => {
  await using repo = await scriptedRepo();
  const [first, second] = await writeBoard(repo, [
    { id: 1, status: 'backlog', depends_on: [9], script: file(1) },
    { id: 2, script: ['blocked not yet'] },
  ]);
  await using running = farm(repo);
  await running.furrow('work', '--parallel', '2', ...FOREVER);
  await expect.poll(() => states(running)).toEqual({ 1: 'waiting', 2: 'blocked' });
  // Written a moment after it is so: into the file of the person, if that is put there first.
  await expect.poll(() => read(repo, second!)).toContain('blocked: true');
  await writeFile(join(repo.root, first!), taskFile({ id: 1, title: 'In place', script: file('edited') }));
  await repo.write('board/tasks/.3.swp', taskFile({ id: 3, script: file(3) }));
  await rename(join(repo.root, 'board/tasks/.3.swp'), join(repo.root, 'board/tasks/003-renamed.md'));
  await writeFile(`${join(repo.root, second!)}.new`, taskFile({ id: 2, script: file(2) }));
  await rename(`${join(repo.root, second!)}.new`, join(repo.root, second!));
  await expect.poll(() => states(running)).toEqual({ 1: 'landed', 2: 'landed', 3: 'landed' });
  await expect.poll(() => repo.git('show', 'main:src/edited.txt').catch(() => '')).toBe('edited');
});

it('sets a broken file aside with its line, and works on with the rest; mended it is a task again', async () => {
  await using repo = await scriptedRepo();
  await writeBoard(repo, [{ id: 1, script: file(1) }]);
  const broken = '---\nid: 2\ntitle: "never closed\nstatus: todo\n---\n';
  await repo.write('board/tasks/002-broken.md', broken);
  await using running = farm(repo);
  const list = await running.furrow('list');
  expect(list.stdout + list.stderr).toMatch(/002-broken\.md:\d/);
  await running.furrow('work', '--parallel', '1', ...FOREVER);
  await expect.poll(() => states(running)).toEqual({ 1: 'landed' });
  expect(await read(repo, 'board/tasks/002-broken.md')).toBe(broken);
  await repo.write('board/tasks/002-broken.md', taskFile({ id: 2, script: file(2) }));
  await expect.poll(() => states(running)).toEqual({ 1: 'landed', 2: 'landed' });
});

it('tries a parked task again when a person takes the block out of its file', async () => {
  await using repo = await shellRepo({ 1: `[ "$FURROW_ATTEMPT" != 1 ] || exit 4; ${commits('1')}` }, `${SHELL}attempts: 1\n`);
  const [name] = await writeBoard(repo, [{ id: 1 }]);
  await using running = farm(repo);
  await running.furrow('work', '--parallel', '1', ...FOREVER);
  await expect.poll(() => states(running)).toEqual({ 1: 'parked' });
  await expect.poll(() => read(repo, name!)).toContain('blocked: true');
  const text = await read(repo, name!);
  await repo.write(name!, text.replace(/^blocked: true\n/m, '').replace(/^block_reason: .*\n/m, ''));
  await expect.poll(() => states(running)).toEqual({ 1: 'landed' });
});

it('lets go on what depends on a task that a person sets to done or puts away', async () => {
  await using repo = await scriptedRepo();
  const [one, two] = await writeBoard(repo, [
    { id: 1, script: ['blocked a'] },
    { id: 2, script: ['blocked b'] },
    { id: 3, depends_on: [1], script: file(3) },
    { id: 4, depends_on: [2], script: file(4) },
  ]);
  await using running = farm(repo);
  await running.furrow('work', '--parallel', '2', ...FOREVER);
  await expect
    .poll(async () => (await Promise.all([one, two].map((name) => read(repo, name!)))).every((text) => text.includes('blocked: true')))
    .toBe(true);
  for (const [name, status] of [
    [one, 'done'],
    [two, 'archived'],
  ] as const)
    await repo.write(name!, (await read(repo, name!)).replace(/^status: .*$/m, `status: ${status}`));
  await expect.poll(() => states(running)).toEqual({ 1: 'landed', 2: 'archived', 3: 'landed', 4: 'landed' });
});

it('changes nothing in a file but its own fields: CRLF, a BOM, comments, order and quoting survive', async () => {
  await using repo = await scriptedRepo();
  const lines = [
    '---',
    '# by hand',
    "title:   'Odd  one'",
    'id: 1 # the first',
    'status: todo',
    'created: 2026-01-01T00:00:00Z',
    'mine: {a: [1,2]}',
    '---',
    '',
    'body  ',
    '',
    '```script',
    ...file(1),
    '```',
    '',
  ];
  const before = `\uFEFF${lines.join('\r\n')}`;
  await repo.write('board/tasks/001-odd.md', before);
  await using running = farm(repo);
  expect(await running.furrow('work', '--parallel', '1')).toMatchObject({ code: 0 });
  const after = await read(repo, 'board/tasks/001-odd.md');
  expect(after).toMatch(/^status: done\r$/m);
  expect(after.startsWith('\uFEFF---\r\n# by hand\r\n')).toBe(true);
  expect(after.replaceAll('\r\n', '')).not.toContain('\n');
  const left = after.slice(1).split('\r\n');
  const untouched = lines.filter((line) => !line.startsWith('status:'));
  expect(left.filter((line) => untouched.includes(line)).join('\n')).toContain(untouched.slice(0, 4).join('\n'));
  for (const line of untouched) expect(left).toContain(line);
});

it('is not harmed when the file of a running task is deleted: its work still lands', async () => {
  await using repo = await shellRepo({ 1: `furrow progress here; while [ ! -e "$HOME/go" ]; do sleep 0.05; done; ${commits('1')}` });
  const [name] = await writeBoard(repo, [{ id: 1 }]);
  await using running = farm(repo);
  await running.furrow('work', '--parallel', '1', '--detach');
  await expect.poll(async () => (await running.events()).some((event) => event.kind === 'agent.progress')).toBe(true);
  await rm(join(repo.root, name!));
  await repo.write('../home/go', '');
  await expect.poll(() => repo.git('show', 'main:src/1.txt').catch(() => '')).toBe('1');
  await expect.poll(async () => (await running.ask('status')).farm.state).toBe('stopped');
  expect((await running.ask('status')).attention).toEqual([]);
});

it('a new task costs one tick: neither the look before it nor the news of its own files is a look at the whole farm', async () => {
  await using repo = await scriptedRepo();
  await using running = farm(repo);
  const ticks = async () => Number(/^furrow_tick_seconds_count (\d+)$/m.exec((await running.furrow('metrics')).stdout)?.[1]);
  await running.furrow('add', 'The first task makes the board');
  const before = await ticks();
  for (let n = 0; n < 20; n++) expect((await running.furrow('add', `Task ${n}`)).code).toBe(0);
  const after = await ticks();
  expect(Object.keys(await states(running))).toHaveLength(21);
  expect(after - before).toBeGreaterThanOrEqual(1);
  // Two each would be 40 or more. Besides one each there is one every ten seconds.
  expect(after - before).toBeLessThan(34);
});

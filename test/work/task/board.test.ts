import { mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findBoard, scan } from '../../../src/work/task/board.ts';
import { rescan } from '../../../src/work/task/scan.ts';
import { ALL } from '../../support/all.ts';
import { cost } from './cost.ts';
import { folder, taskFile } from './folder.ts';

const MANY = ALL ? 10_000 : 2000;

const refs = (tasks: readonly { ref: string }[]) => tasks.map((task) => task.ref);

describe('finding the board', () => {
  it('takes the first usual place that is one', async () => {
    using dir = folder({ 'board/README': 'a game board', 'kanban/tasks/001-a.md': taskFile('1') });
    expect((await findBoard(dir.path))?.dir).toBe(join(dir.path, 'kanban'));
  });

  it('finds batty’s phases, and quarantines a folder whose name is none', async () => {
    using dir = folder({
      '.batty/kanban/phase-1/tasks/001-a.md': taskFile('1'),
      '.batty/kanban/ph 2/tasks/001-a.md': taskFile('1'),
      '.batty/kanban/notes/x': '',
    });
    const board = await findBoard(dir.path);
    expect(board?.phases.map((phase) => phase.name)).toEqual(['phase-1']);
    expect(board?.quarantined).toMatchObject([{ file: 'ph 2' }]);
  });

  it('says so when there is none', async () => {
    using dir = folder({ 'board/x': '' });
    expect(await findBoard(dir.path)).toBeUndefined();
    expect(await findBoard(dir.path, 'nowhere')).toBeUndefined();
  });

  it('reads configs of every age, and never leaves the board', async () => {
    using dir = folder({
      'b/config.yml':
        'version: 3\nboard: {name: Old}\ntasks_dir: ../../etc\nstatuses: [new, {name: doing}, done]\npriorities: [p2, p1]\nclasses: [{name: now}, later]\nnext_id: 12\n',
      'c/config.yml': 'statuses: [',
      'c/tasks/1.md': taskFile('1'),
    });
    const board = await findBoard(dir.path, 'b');
    expect(board?.config).toMatchObject({
      name: 'Old',
      tasksDir: 'tasks',
      statuses: ['new', 'doing', 'done'],
      priorities: ['p2', 'p1'],
      classes: ['now', 'later'],
      nextId: 12,
    });
    expect(board?.config.defaults.status).toBe('new');
    expect(board?.quarantined[0]?.reason).toMatch(/tasks_dir/);
    const broken = await findBoard(dir.path, 'c');
    expect(broken?.config.priorities).toEqual(['low', 'medium', 'high', 'critical']);
    expect(broken?.quarantined[0]?.reason).toMatch(/not YAML/);
  });
});

describe('scanning', () => {
  it('quarantines what it cannot use, names the line, and goes on', async () => {
    using dir = folder({
      'board/tasks/001-a.md': taskFile('1'),
      'board/tasks/002-b.md': taskFile('1'),
      'board/tasks/003-c.md': '---\nid: 3\ntitle: [x\n---\n',
      'board/tasks/004-d.md': Buffer.from([0x2d, 0x2d, 0x2d, 0x0a, 0xff, 0xfe]),
      'board/tasks/notes.txt': 'no task',
      'board/tasks/.hidden.md': 'x',
    });
    symlinkSync('/etc/hostname', join(dir.path, 'board/tasks/005-e.md'));
    const seen = await scan((await findBoard(dir.path))!);
    expect(refs(seen.tasks)).toEqual(['default/1']);
    expect(seen.quarantined).toMatchObject([
      { file: 'tasks/002-b.md', reason: 'id 1 is taken by tasks/001-a.md' },
      { file: 'tasks/003-c.md', line: 3 },
      { file: 'tasks/004-d.md', reason: 'is not UTF-8 text' },
      { file: 'tasks/005-e.md', reason: 'is not a plain file' },
    ]);
  });

  it('numbers phases apart', async () => {
    using dir = folder({ 'board/api/tasks/1.md': taskFile('1'), 'board/ui/tasks/1.md': taskFile('1') });
    expect(refs((await scan((await findBoard(dir.path))!)).tasks)).toEqual(['api/1', 'ui/1']);
  });

  it('sees every kind of change with the cache of the last scan, and a half-written file keeps its name', async () => {
    using dir = folder({ 'board/tasks/1.md': taskFile('1'), 'board/tasks/2.md': taskFile('2'), 'board/tasks/3.md': taskFile('3') });
    const path = (name: string) => join(dir.path, 'board/tasks', name);
    const old = new Date(Date.now() - 60_000);
    for (const name of ['1.md', '2.md', '3.md']) utimesSync(path(name), old, old);
    const board = (await findBoard(dir.path))!;
    const first = await scan(board);
    // In place, of the same size and with the old times put back: only the change time tells.
    writeFileSync(path('1.md'), taskFile('1', '', 'Tusk 1'));
    utimesSync(path('1.md'), old, old);
    writeFileSync(path('3.md'), '---\nid: 3\n');
    dir.write({ 'x.md': taskFile('2', '', 'Renamed over'), 'board/new/tasks/9.md': taskFile('9') });
    renameSync(join(dir.path, 'x.md'), path('2.md'));
    const second = await scan(board, first.cache);
    expect(second.tasks.map((task) => task.title)).toEqual(['Tusk 1', 'Renamed over', 'Task 9']);
    expect(second.quarantined).toMatchObject([{ file: 'tasks/3.md', ref: 'default/3' }]);
    expect(first.tasks.map((task) => task.hash)).not.toEqual(second.tasks.map((task) => task.hash));
  });

  it('reads a few files again, and says when that does not tell all', async () => {
    using dir = folder({ 'board/tasks/1.md': taskFile('1'), 'board/tasks/2.md': taskFile('2'), 'board/tasks/3.md': 'broken' });
    const first = await scan((await findBoard(dir.path))!);
    expect(rescan(first, ['tasks/1.md'])?.changed).toEqual([]);
    dir.write({ 'board/tasks/1.md': taskFile('1', '', 'Other') });
    const second = rescan(first, ['tasks/1.md', 'tasks/2.md'])!;
    expect(second.changed).toMatchObject([{ ref: 'default/1', title: 'Other' }]);
    expect(second.scan.tasks.map((task) => task.title)).toEqual(['Other', 'Task 2']);
    dir.write({ 'board/tasks/6.md': taskFile('6'), 'board/tasks/7.md': taskFile('2') });
    expect(rescan(second.scan, ['tasks/6.md'])).toMatchObject({ changed: [], added: [{ ref: 'default/6' }] });
    expect(second.scan.tasks.map((task) => task.id)).toEqual(['1', '2', '6']);
    dir.write({ 'board/tasks/2.md': taskFile('5') });
    // The last one has the id of another.
    for (const file of ['tasks/2.md', 'tasks/3.md', 'tasks/4.md', 'tasks/7.md', 'none/1.md'])
      expect(rescan(second.scan, [file])).toBeUndefined();
    rmSync(join(dir.path, 'board/tasks/1.md'));
    expect(rescan(second.scan, ['tasks/1.md'])).toBeUndefined();
  });

  it('takes over the counter of a config without a look at all files, and nothing else of it', async () => {
    using dir = folder({ 'board/config.yml': 'tasks_dir: tasks\nnext_id: 2\n', 'board/tasks/1.md': taskFile('1') });
    const first = await scan((await findBoard(dir.path))!);
    dir.write({ 'board/config.yml': 'tasks_dir: tasks\nnext_id: 9\n' });
    expect(rescan(first, ['config.yml'])?.scan.board.config.nextId).toBe(9);
    for (const other of ['tasks_dir: tasks\nnext_id: 9\nstatuses: [a, b]\n', 'tasks_dir: ui\nnext_id: 9\n', '{ broken\nnext_id: 9\n']) {
      dir.write({ 'board/config.yml': other });
      expect(rescan(first, ['config.yml'])).toBeUndefined();
    }
  });

  it(`reads ${MANY} tasks in ${MANY / 10} ms, and again in a fraction of it`, async () => {
    using dir = folder();
    mkdirSync(join(dir.path, 'board/tasks'), { recursive: true });
    const old = new Date(Date.now() - 60_000);
    for (let n = 1; n <= MANY; n++) {
      const path = join(dir.path, `board/tasks/${String(n).padStart(5, '0')}-task.md`);
      writeFileSync(
        path,
        taskFile(String(n), `priority: high\ncreated: 2026-02-22T10:00:00Z\ntags:\n    - core\ndepends_on:\n    - ${n + 1}\n`),
      );
      utimesSync(path, old, old);
    }
    const board = (await findBoard(dir.path))!;
    const cold = await cost(3, () => scan(board));
    // A file changed a moment ago is not trusted; let the last ones settle.
    await new Promise((done) => setTimeout(done, 150));
    const { cache } = await scan(board);
    const warm = await cost(3, () => scan(board, cache));
    expect(cold).toBeLessThan(MANY / 10);
    expect(warm).toBeLessThan(cold / 2);
  });
});

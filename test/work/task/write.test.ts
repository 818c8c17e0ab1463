import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findBoard, hashOf, scan } from '../../../src/work/task/board.ts';
import { createTask } from '../../../src/work/task/create.ts';
import { initBoard } from '../../../src/work/task/init-board.ts';
import { parseTask } from '../../../src/work/task/parse.ts';
import { sweepFolder } from '../../../src/work/task/sweep-board.ts';
import { watchBoard } from '../../../src/work/task/watch.ts';
import { statusChange, updateTask } from '../../../src/work/task/write.ts';
import { folder, taskFile } from './folder.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const AT = '2026-03-01T12:00:00.000Z';

describe('changing a task file', () => {
  it('writes only the change, keeps the mode, and leaves nothing beside', async () => {
    using dir = folder({ 'tasks/1.md': '---\nid: 1 # one\ntitle: a\nstatus: backlog\n---\nBody' });
    const file = join(dir.path, 'tasks/1.md');
    chmodSync(file, 0o444);
    const done = await updateTask(file, hashOf(readFileSync(file)), { set: { status: 'in-progress', claimed_by: 'calm-otter' } }, NOW);
    expect(readFileSync(file, 'utf8')).toBe(
      `---\nid: 1 # one\ntitle: a\nstatus: in-progress\nupdated: ${AT}\nstarted: ${AT}\nclaimed_by: calm-otter\n---\nBody`,
    );
    expect(done).toEqual({ hash: hashOf(readFileSync(file)) });
    expect(statSync(file).mode & 0o777).toBe(0o444);
    expect(readdirSync(join(dir.path, 'tasks'))).toEqual(['1.md']);
  });

  it('touches nothing when the file is another one by now, or gone', async () => {
    using dir = folder({ 'tasks/1.md': taskFile('1') });
    const file = join(dir.path, 'tasks/1.md');
    expect(await updateTask(file, hashOf('what was read'), { note: 'x' }, NOW)).toBe('changed');
    expect(readFileSync(file, 'utf8')).toBe(taskFile('1'));
    expect(await updateTask(join(dir.path, 'tasks/2.md'), '', { note: 'x' }, NOW)).toBe('gone');
    expect(readdirSync(join(dir.path, 'tasks'))).toEqual(['1.md']);
  });

  it('loses no edit that another program makes meanwhile, in place or by rename', async () => {
    using dir = folder({ 'tasks/1.md': taskFile('1') });
    const file = join(dir.path, 'tasks/1.md');
    const enough = join(dir.path, 'enough');
    const program = fileURLToPath(new URL('./editor.fixture.mjs', import.meta.url));
    const editor = spawn(process.execPath, [program, file, '250', enough], { stdio: ['ignore', 'pipe', 'inherit'] });
    const said = text(editor.stdout);
    const outcomes = { done: 0, changed: 0, gone: 0 };
    while (editor.exitCode === null) {
      const before = readFileSync(file);
      // The editor's own half-written file is nothing the daemon would have imported.
      if (!parseTask(before.toString('utf8'), '1.md').ok) await setImmediate();
      else {
        const outcome = await updateTask(file, hashOf(before), { note: 'from the daemon' }, NOW);
        outcomes[typeof outcome === 'string' ? outcome : 'done']++;
        // How often each side comes to its turn depends on the machine: the editor goes on until both did.
        if (outcomes.done > 20 && outcomes.changed > 20) writeFileSync(enough, '');
      }
    }
    expect(await said).toBe('lost 0\n');
    expect(outcomes.gone).toBe(0);
    expect(readdirSync(join(dir.path, 'tasks'))).toEqual(['1.md']);
  });

  it('gives the name back to a file that an editor still has open', async () => {
    using dir = folder({ 'tasks/1.md': taskFile('1') });
    const file = join(dir.path, 'tasks/1.md');
    const open = openSync(file, 'r+');
    const update = updateTask(file, hashOf(taskFile('1')), { note: 'from the daemon' }, NOW);
    while (!readdirSync(join(dir.path, 'tasks')).some((name) => name.endsWith('.was'))) await setImmediate();
    writeSync(open, '---\nid: 1\ntitle: mine\nstatus: todo\n---\nlate edit\n', 0);
    closeSync(open);
    expect(await update).toBe('changed');
    expect(readFileSync(file, 'utf8')).toContain('late edit');
    expect(readdirSync(join(dir.path, 'tasks'))).toEqual(['1.md']);
  });

  it('leaves the name to an edit of the new file, which is newer than one of the old file', async () => {
    using dir = folder({ 'tasks/1.md': taskFile('1') });
    const file = join(dir.path, 'tasks/1.md');
    const open = openSync(file, 'r+');
    const update = updateTask(file, hashOf(taskFile('1')), { note: 'from the daemon' }, NOW);
    while (!readdirSync(join(dir.path, 'tasks')).some((name) => name.endsWith('.was'))) await setImmediate();
    writeSync(open, '---\nid: 1\ntitle: mine\nstatus: todo\n---\nearlier edit\n', 0);
    closeSync(open);
    writeFileSync(file, '---\nid: 1\ntitle: mine\nstatus: todo\n---\nlater edit\n');
    expect(await update).toBe('changed');
    expect(readFileSync(file, 'utf8')).toContain('later edit');
    expect(readdirSync(join(dir.path, 'tasks'))).toEqual(['1.md']);
  });

  it.each(['board.beside', 'board.swapped'])('leaves the old file or the new one when killed at %s', async (point) => {
    using dir = folder({ 'tasks/1.md': taskFile('1') });
    const file = join(dir.path, 'tasks/1.md');
    const write = new URL('../../../src/work/task/write.ts', import.meta.url).href;
    const code = `const { updateTask } = await import('${write}'); await updateTask(process.argv[1], '${hashOf(taskFile('1'))}', { note: 'n' }, 0);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', code, file], {
      env: { ...process.env, FURROW_FAULT: `${point}:1:kill` },
      stdio: 'ignore',
    });
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
    expect(readdirSync(join(dir.path, 'tasks')).length).toBeGreaterThan(1);
    await sweepFolder(join(dir.path, 'tasks'));
    expect(readdirSync(join(dir.path, 'tasks'))).toEqual(['1.md']);
    expect(/^\[\[\d{4}-/m.test(readFileSync(file, 'utf8'))).toBe(point === 'board.swapped');
    expect(parseTask(readFileSync(file, 'utf8'), '1.md').ok).toBe(true);
  });

  it('nothing of it is in the way of git, and what a killed daemon left in the git folder is put back', async () => {
    using dir = folder({ 'board/tasks/1.md': taskFile('1'), '.git/furrow.run/farm.json': '{}' });
    const [tasks, away] = [join(dir.path, 'board/tasks'), join(dir.path, '.git/furrow.run/board/board/tasks')];
    const seen = { beside: 0, aside: 0 };
    const update = updateTask(join(tasks, '1.md'), hashOf(taskFile('1')), { note: 'n' }, NOW).finally(() =>
      Object.assign(seen, { over: true }),
    );
    while (!('over' in seen)) {
      expect(readdirSync(tasks)).toEqual(['1.md']);
      const names = existsSync(away) ? readdirSync(away) : [];
      if (names.some((name) => name.endsWith('.tmp'))) seen.beside++;
      if (names.some((name) => name.endsWith('.was'))) seen.aside++;
      await setImmediate();
    }
    expect(await update).toEqual({ hash: hashOf(readFileSync(join(tasks, '1.md'))) });
    expect([seen.beside > 0, seen.aside > 0, readdirSync(away)]).toEqual([true, true, []]);
    dir.write({
      [`.git/furrow.run/board/board/tasks/.2.md.${hashOf('x')}.0123abcd.was`]: 'x',
      [`.git/furrow.run/board/board/tasks/.1.md.0123abcd.tmp`]: 'half',
    });
    await sweepFolder(tasks);
    expect([readdirSync(tasks), readdirSync(away)]).toEqual([['1.md', '2.md'], []]);
  });

  it.runIf(existsSync('/dev/shm'))('a board on another file system than the git folder is written beside its files', async () => {
    using dir = folder({ 'board/tasks/1.md': taskFile('1') });
    const git = mkdtempSync('/dev/shm/furrow-git-');
    onTestFinished(() => rmSync(git, { recursive: true }));
    mkdirSync(join(git, 'furrow.run'));
    dir.write({ '.git': `gitdir: ${git}\n` });
    const file = join(dir.path, 'board/tasks/1.md');
    expect(await updateTask(file, hashOf(taskFile('1')), { note: 'n' }, NOW)).toEqual({ hash: hashOf(readFileSync(file)) });
    expect([readdirSync(dirname(file)), readdirSync(join(git, 'furrow.run/board/board/tasks'))]).toEqual([['1.md'], []]);
  });

  it('cleans up after a daemon that was killed, and puts back an edit that it caught half-way', async () => {
    const was = (name: string, hash: string) => `.${name}.${hash}.0123abcd.was`;
    using dir = folder({ '1.md': 'patched', '2.md': 'patched', '.1.md.0123abcd.tmp': 'half' });
    dir.write({ [was('1.md', hashOf('before'))]: 'before', [was('2.md', hashOf('before'))]: 'edited by hand' });
    dir.write({ [was('3.md', hashOf('before'))]: 'before', '.7.new': 'never named' });
    await sweepFolder(dir.path);
    expect(readdirSync(dir.path)).toEqual(['1.md', '2.md', '3.md']);
    expect(readFileSync(join(dir.path, '3.md'), 'utf8')).toBe('before');
    expect(readFileSync(join(dir.path, '1.md'), 'utf8')).toBe('patched');
    expect(readFileSync(join(dir.path, '2.md'), 'utf8')).toBe('edited by hand');
  });
});

describe('the times of a move', () => {
  const moves = (from: Parameters<typeof statusChange>[0], to: string, set: Record<string, string | null>) => () =>
    expect(statusChange(from, to, NOW)).toEqual({ updated: AT, ...set });
  it('start when it leaves the first status', moves({ status: 'backlog' }, 'todo', { status: 'todo', started: AT }));
  it('start only once', moves({ status: 'backlog', started: 'x' }, 'todo', { status: 'todo' }));
  it('end with done, which has started too', moves({ status: 'backlog' }, 'done', { status: 'done', started: AT, completed: AT }));
  it('do not end again when archived', moves({ status: 'done', started: 'x', completed: 'y' }, 'archived', { status: 'archived' }));
  it(
    'end no more when it leaves done',
    moves({ status: 'done', started: 'x', completed: 'y' }, 'todo', { status: 'todo', completed: null }),
  );
  it('stay when it does not move', moves({ status: 'todo' }, 'todo', {}));
  it('follow the board’s own statuses', () => {
    expect(statusChange({ status: 'new' }, 'shipped', NOW, ['new', 'doing', 'shipped'])).toMatchObject({ started: AT, completed: AT });
  });
});

describe('adding tasks', () => {
  it('gives 20 adds at once 20 numbers, above every other on the board', async () => {
    using dir = folder();
    await initBoard(join(dir.path, 'board'), 'yes: a # name');
    dir.write({ 'board/ui/tasks/041-x.md': taskFile('041'), 'board/tasks/043-broken.md': 'not a task' });
    const board = (await findBoard(dir.path))!;
    expect(board.config.name).toBe('yes: a # name');
    const made = await Promise.all(
      Array.from({ length: 20 }, (_, n) => createTask(board, n % 2 ? 'ui' : 'default', { title: `Add ${n}` }, NOW)),
    );
    const ids = made.map((one) => Number(one.id)).sort((a, b) => a - b);
    expect(ids).toEqual(Array.from({ length: 20 }, (_, n) => 44 + n));
    const seen = await scan(board);
    expect(seen.tasks).toHaveLength(21);
    const config = readFileSync(join(dir.path, 'board/config.yml'), 'utf8');
    const highest = Math.max(...made.filter((one) => one.file.startsWith('tasks/')).map((one) => Number(one.id)));
    expect(config).toContain(`next_id: ${highest + 1}\n`);
    expect(readdirSync(join(dir.path, 'board')).sort()).toEqual(['config.yml', 'tasks', 'ui']);
  });

  it("writes the file with kanban-md's fields in its order, as prettier prints YAML", async () => {
    using dir = folder({ 'board/config.yml': 'next_id: 7 # keep me\r\nversion: 10\r\n' });
    const board = (await findBoard(dir.path))!;
    const title = 'Größe: set up the very long continuous-integration pipeline now';
    const made = await createTask(
      board,
      'default',
      { title, body: 'Do it.\n\n', dependsOn: ['3', 'ui/4'], due: '2026-04-01', paths: ['src/**'] },
      NOW,
    );
    expect(made).toEqual({ id: '7', file: 'tasks/007-gr-e-set-up-the-very-long-continuous-integration.md' });
    expect(readFileSync(join(dir.path, 'board', made.file), 'utf8')).toBe(
      `---\nid: 7\ntitle: "${title}"\nstatus: backlog\npriority: medium\ncreated: ${AT}\nupdated: ${AT}\ndue: "2026-04-01"\ndepends_on:\n  - 3\n  - ui/4\nclass: standard\npaths:\n  - src/**\n---\n\nDo it.\n`,
    );
    expect(readFileSync(join(dir.path, 'board/config.yml'), 'utf8')).toBe('next_id: 8 # keep me\r\nversion: 10\r\n');
  });

  it('makes a new phase, but not outside the board', async () => {
    using dir = folder();
    await initBoard(join(dir.path, 'board'), 'b');
    const board = (await findBoard(dir.path))!;
    expect(await createTask(board, 'ui', { title: '***' }, NOW)).toEqual({ id: '1', file: 'ui/tasks/001-task.md' });
    await expect(createTask(board, '../x', { title: 'a' }, NOW)).rejects.toMatchObject({ code: 'BAD_PHASE' });
  });

  it('changes nothing of a board that is there', async () => {
    using dir = folder({ 'board/config.yml': 'mine' });
    await initBoard(join(dir.path, 'board'), 'other');
    expect(readFileSync(join(dir.path, 'board/config.yml'), 'utf8')).toBe('mine');
  });
});

describe('watching the board', () => {
  it('tells of a burst once, and of a phase that came later', async () => {
    using dir = folder({ 'board/tasks/1.md': taskFile('1') });
    let calls = 0;
    let tell = () => {};
    const next = () => new Promise<void>((done) => (tell = done));
    let named: string[] | undefined;
    const board = (await findBoard(dir.path))!;
    const watch = watchBoard(
      () => board,
      (files) => {
        calls++;
        named = files && [...files];
        tell();
      },
    );
    try {
      let heard = next();
      for (let n = 0; n < 30; n++) dir.write({ 'board/tasks/1.md': taskFile('1', '', `Title ${n}`) });
      await heard;
      expect(calls).toBe(1);
      heard = next();
      dir.write({ 'board/ui/tasks/1.md': taskFile('1') });
      await heard;
      // Nothing but the new phase's own folder speaks after this.
      await new Promise((done) => setTimeout(done, 200));
      heard = next();
      dir.write({ 'board/ui/tasks/2.md': taskFile('2') });
      await heard;
      expect(named).toEqual(['ui/tasks/2.md']);
      // A file on its way to its name, in any folder of the board, is no news.
      heard = next();
      dir.write({ 'board/.2.new': 'half', 'board/ui/.config.yml.1': 'half' });
      await new Promise((done) => setTimeout(done, 200));
      dir.write({ 'board/ui/tasks/2.md': taskFile('2', '', 'Again') });
      await heard;
      expect(named).toEqual(['ui/tasks/2.md']);
      // A board that went away with its branch and came back is looked after again.
      rmSync(join(dir.path, 'board'), { recursive: true });
      await new Promise((done) => setTimeout(done, 200));
      dir.write({ 'board/tasks/1.md': taskFile('1') });
      watch.follow();
      heard = next();
      dir.write({ 'board/tasks/1.md': taskFile('1', '', 'Again') });
      await heard;
    } finally {
      watch.close();
    }
  });
});

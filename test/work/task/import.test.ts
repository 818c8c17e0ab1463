import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Updateable } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { TaskRow } from '../../../src/journal/rows/task.ts';
import { openStore } from '../../../src/journal/store.ts';
import { createTask } from '../../../src/work/task/create.ts';
import { highestNumber } from '../../../src/work/task/highest-number.ts';
import { changesIn, importBoard } from '../../../src/work/task/import.ts';
import { readBoard } from '../../../src/work/task/layout.ts';
import { matchFiles } from '../../../src/work/task/match-files.ts';
import { askAboutLanded } from '../../../src/work/task/reopen.ts';
import { scan } from '../../../src/work/task/scan.ts';
import { advance, readTask } from '../../../src/work/task/store.ts';
import { folder } from './folder.ts';

const NOW = Date.parse('2026-03-01T00:00:00Z');
const EARLY = '2026-01-01T00:00:00Z';
const LATE = '2026-02-01T00:00:00Z';
const ONE = 'tasks/001-one.md';

interface Lines {
  status?: string;
  title?: string;
  created?: string;
  updated?: string;
  blocked?: string;
}

/** A board in a folder and the store that follows it. */
async function followed() {
  const place = folder();
  const dir = join(place.path, 'board');
  const db = await openStore(join(place.path, 'store.db'));
  const path = (name: string) => join(dir, name);
  const at = {
    db,
    dir,
    async write(
      name: string,
      id: number,
      { status = 'todo', title = `Task ${id}`, created = EARLY, updated = EARLY, blocked }: Lines = {},
    ) {
      await mkdir(dirname(path(name)), { recursive: true });
      const fields = { id, title, status, created, updated, ...(blocked && { blocked: 'true', block_reason: blocked }) };
      const head = Object.entries(fields).map(([key, value]) => `${key}: ${value}\n`);
      await writeFile(path(name), `---\n${head.join('')}---\n`);
    },
    remove: (name: string) => rm(path(name)),
    async move(from: string, to: string) {
      await mkdir(dirname(path(to)), { recursive: true });
      await rename(path(from), path(to));
    },
    /** One look, as the daemon takes it. */
    async look(now = NOW) {
      const seen = await scan(readBoard(dir));
      const broken = new Set(seen.quarantined.flatMap((one) => one.ref ?? []));
      const matched = matchFiles(await db.selectFrom('task').selectAll().execute(), seen.tasks, broken);
      const changes = changesIn(matched);
      if (changes) await db.transaction().execute((tx) => importBoard(tx, changes, now));
      const titleOf = (file: string) => seen.tasks.find((task) => task.file === file)?.title;
      await askAboutLanded(db, titleOf, () => 'branch old', now);
      return { changed: changes !== undefined, refused: matched.refused.map((one) => one.reason) };
    },
    task: (ref: string) => readTask(db, ref),
    set: (ref: string, values: Updateable<TaskRow>) => db.updateTable('task').set(values).where('ref', '=', ref).execute(),
    rows: async () => (await db.selectFrom('task').select('ref').orderBy('ref').execute()).map((row) => row.ref),
    asked: () => db.selectFrom('question').select(['kind', 'subject', 'reason']).where('closed', 'is', null).execute(),
    async [Symbol.asyncDispose]() {
      await db.destroy();
      place[Symbol.dispose]();
    },
  };
  return at;
}

it('a file that furrow is just writing is its own only at its place', async () => {
  await using at = await followed();
  await at.write(ONE, 1);
  await at.look();
  await at.write(ONE, 1, { status: 'done' });
  const changes = async () => {
    const { tasks } = await scan(readBoard(at.dir));
    const own = new Set(tasks.map((file) => file.hash));
    return changesIn(matchFiles(await at.db.selectFrom('task').selectAll().execute(), tasks, new Set()), own);
  };
  expect(await changes()).toBeUndefined();
  await at.move(ONE, 'tasks/001-renamed.md');
  expect(await changes()).toMatchObject({ known: [{ file: { file: 'tasks/001-renamed.md' } }], added: [], gone: [] });
});

const LANDED = { standing: 'landed', attempt: 1, commit: 'abc123456789', status: 'done' } as const;

describe('a landed task', () => {
  it.each(['backlog', 'todo', 'in-progress', 'review'])('stays landed when its file says %s, and is one question', async (status) => {
    await using at = await followed();
    await at.write(ONE, 1, { status: 'done' });
    await at.look();
    await at.set('default/1', LANDED);
    await at.write(ONE, 1, { status });
    await at.look();
    expect(await at.task('default/1')).toMatchObject({ standing: 'landed', attempt: 1, commit: LANDED.commit });
    const text = `1 landed as abc12345, but its file says ${status}. It does not run again by itself: furrow retry 1 runs it again, furrow move 1 done keeps it`;
    expect(await at.asked()).toEqual([{ kind: 'reopen', subject: 'default/1', reason: text }]);
    expect(await at.look()).toEqual({ changed: false, refused: [] });
    await at.write(ONE, 1, { status: 'done', updated: LATE });
    await at.look();
    expect(await at.asked()).toEqual([]);
  });

  it('is not asked about while the store has still to write done into its file', async () => {
    await using at = await followed();
    await at.write(ONE, 1, { status: 'in-progress' });
    await at.look();
    await at.set('default/1', { ...LANDED, status: 'in-progress', want: '{"status":"done","notes":[]}' });
    await at.look();
    expect(await at.asked()).toEqual([]);
  });

  it('is one of 40 in one question when a branch is switched, which goes when the files say done again', async () => {
    await using at = await followed();
    const all = async (status: string) => {
      for (let id = 1; id <= 40; id++) await at.write(`tasks/${id}.md`, id, { status });
      await at.look();
    };
    await all('done');
    await at.db.updateTable('task').set(LANDED).execute();
    await all('todo');
    expect(await at.asked()).toMatchObject([
      {
        kind: 'reopen',
        subject: 'board',
        reason: expect.stringMatching(/^40 landed tasks have files that say todo, first 1 .*branch old/),
      },
    ]);
    await at.remove('tasks/1.md');
    await at.look();
    expect(await at.asked()).toMatchObject([{ reason: expect.stringMatching(/^39 landed tasks .*first 2 /) }]);
    await all('done');
    expect(await at.asked()).toEqual([]);
    const events = await at.db
      .selectFrom('event')
      .select('kind')
      .where('kind', 'in', ['question.opened', 'question.closed', 'question.answered'])
      .execute();
    expect(events.map((event) => event.kind)).toEqual(['question.opened', 'question.closed']);
  });

  it('keeps its number: another task written under it is a question and does not run', async () => {
    await using at = await followed();
    await at.write(ONE, 1, { status: 'done' });
    await at.look();
    await at.set('default/1', LANDED);
    await at.remove(ONE);
    await at.look();
    await at.write('tasks/001-other.md', 1, { title: 'Other', created: LATE, updated: LATE });
    await at.look();
    expect(await at.task('default/1')).toMatchObject({ standing: 'landed', title: 'Task 1', missing: null });
    expect(await at.asked()).toMatchObject([
      { reason: expect.stringMatching(/is now "Other": a new task needs a new number.*furrow retry 1/) },
    ]);
    // By a person's word it is the other task, and is read as that.
    await at.db.transaction().execute((tx) => advance(tx, 'default/1', { on: 'reopened' }, NOW, { hash: '' }));
    await at.look();
    expect(await at.task('default/1')).toMatchObject({ standing: 'open', title: 'Other', attempt: 1 });
    expect(await at.asked()).toEqual([]);
  });
});

describe('a task whose file is gone', () => {
  it.each([
    ['landed', { ...LANDED }],
    ['parked', { standing: 'parked', attempt: 3, failures: 3 }],
    ['leased', { standing: 'leased', attempt: 1 }],
    ['open', { standing: 'open', attempt: 2, failures: 2, crashes: 1 }],
  ] as const)('is kept as %s, is not started, and goes on where it was', async (standing, values) => {
    await using at = await followed();
    await at.write(ONE, 1, { status: values.standing === 'landed' ? 'done' : 'todo' });
    await at.look();
    await at.set('default/1', values);
    await at.remove(ONE);
    await at.look(NOW + 5);
    expect(await at.task('default/1')).toMatchObject({ ...values, missing: NOW + 5 });
    expect(await at.look(NOW + 6)).toEqual({ changed: false, refused: [] });
    const claim = { on: 'claimed', holder: 'a', token: values.attempt + 1 } as const;
    expect(await at.db.transaction().execute((tx) => advance(tx, 'default/1', claim, NOW))).toBe(false);
    await at.write(ONE, 1, { status: values.standing === 'landed' ? 'done' : 'todo' });
    await at.look();
    expect(await at.task('default/1')).toMatchObject({ ...values, missing: null });
    expect((await at.task('default/1')).standing).toBe(standing);
  });

  it('is forgotten when nobody ever worked on it, but its number is not given out again', async () => {
    await using at = await followed();
    await at.write('tasks/007-seven.md', 7);
    await at.write(ONE, 1);
    await at.look();
    await at.remove('tasks/007-seven.md');
    await at.look();
    expect(await at.rows()).toEqual(['default/1']);
    const made = await createTask(readBoard(at.dir), 'default', { title: 'Next' }, NOW, { used: await highestNumber(at.db) });
    expect(made.id).toBe('8');
  });
});

it('a task whose row was lost comes back as its newest entry says: landed, or still in the queue', async () => {
  await using at = await followed();
  const entry = { agent: null, title: '', sha: '', after: '[]', priority: null, keep: 0, paths: null, reason: null, at: 0, ended: 0 };
  await at.db
    .insertInto('entry')
    .values([
      { ...entry, task: 'default/1', attempt: 1, state: 'conflict' },
      { ...entry, task: 'default/1', attempt: 2, state: 'landed' },
      { ...entry, task: 'default/2', attempt: 1, state: 'conflict' },
      { ...entry, task: 'default/3', attempt: 2, state: 'held', ended: null },
    ])
    .execute();
  await at.write(ONE, 1);
  await at.write('tasks/2.md', 2);
  await at.write('tasks/3.md', 3);
  await at.look();
  expect(await at.task('default/1')).toMatchObject({ standing: 'landed', attempt: 2 });
  expect(await at.task('default/2')).toMatchObject({ standing: 'open', attempt: 1 });
  expect(await at.task('default/3')).toMatchObject({ standing: 'submitted', attempt: 2 });
  expect(await at.asked()).toMatchObject([{ kind: 'reopen', subject: 'default/1' }]);
});

describe('a file that was turned back', () => {
  const parked = { standing: 'parked', attempt: 3, failures: 3, blocked: 1, block_reason: 'why?', status: 'todo' } as const;

  it('does not try a parked task again; a person who takes the block out of it does', async () => {
    await using at = await followed();
    await at.write(ONE, 1, { blocked: 'why?', updated: LATE });
    await at.look();
    await at.set('default/1', parked);
    await at.write(ONE, 1, { updated: EARLY });
    await at.look();
    expect(await at.task('default/1')).toMatchObject(parked);
    await at.write(ONE, 1, { blocked: 'why?', updated: LATE });
    await at.look();
    expect(await at.task('default/1')).toMatchObject(parked);
    await at.write(ONE, 1, { updated: LATE });
    await at.look();
    expect(await at.task('default/1')).toMatchObject({ standing: 'open', failures: 0, attempt: 3 });
  });

  it('does not open again what a person had done by hand', async () => {
    await using at = await followed();
    await at.write(ONE, 1, { status: 'done', updated: LATE });
    await at.look();
    await at.write(ONE, 1, { status: 'todo', updated: EARLY });
    await at.look();
    expect(await at.task('default/1')).toMatchObject({ standing: 'open', status: 'done' });
    await at.write(ONE, 1, { status: 'todo', updated: LATE });
    await at.look();
    expect(await at.task('default/1')).toMatchObject({ standing: 'open', status: 'todo' });
  });

  it('is taken as it is by a task that is still to be started', async () => {
    await using at = await followed();
    await at.write(ONE, 1, { status: 'backlog', title: 'New', updated: LATE });
    await at.look();
    await at.write(ONE, 1, { title: 'Old', updated: EARLY });
    await at.look();
    expect(await at.task('default/1')).toMatchObject({
      title: 'Old',
      status: 'todo',
      updated: Date.parse(EARLY),
      newest: Date.parse(EARLY),
    });
  });
});

describe('a task that moves to another phase', () => {
  it.each([
    ['leased', { standing: 'leased', attempt: 1 }],
    ['submitted', { standing: 'submitted', attempt: 1 }],
    ['landed', LANDED],
    ['open after a failure', { standing: 'open', attempt: 1, failures: 1 }],
  ] as const)('is the same task, %s as before', async (_name, values) => {
    await using at = await followed();
    await at.write('a/tasks/1.md', 1);
    await at.write('b/tasks/2.md', 2);
    await at.look();
    await at.set('a/1', values);
    await at.move('a/tasks/1.md', 'b/tasks/1.md');
    await at.look();
    expect(await at.rows()).toEqual(['a/1', 'b/2']);
    expect(await at.task('a/1')).toMatchObject({ standing: values.standing, attempt: 1, phase: 'b', file: 'b/tasks/1.md', missing: null });
    // In two steps, with a look between them, and back.
    await at.move('b/tasks/1.md', '../1.md');
    await at.look();
    await at.move('../1.md', 'a/tasks/1.md');
    await at.look();
    expect(await at.task('a/1')).toMatchObject({ standing: values.standing, phase: 'a', missing: null });
  });

  it('is a new task when nobody has worked on it', async () => {
    await using at = await followed();
    await at.write('a/tasks/1.md', 1);
    await at.write('b/tasks/2.md', 2);
    await at.look();
    await at.move('a/tasks/1.md', 'b/tasks/1.md');
    await at.look();
    expect(await at.rows()).toEqual(['b/1', 'b/2']);
  });

  it('leaves its ref to nobody, and copies of it are refused', async () => {
    await using at = await followed();
    await at.write('a/tasks/1.md', 1);
    await at.look();
    await at.set('a/1', LANDED);
    await at.move('a/tasks/1.md', 'b/tasks/1.md');
    await at.look();
    await at.write('a/tasks/1.md', 1);
    await at.write('c/tasks/1.md', 1, { title: 'Own', created: LATE });
    expect((await at.look()).refused).toEqual([expect.stringMatching(/^is a copy of task a\/1, which was worked on/)]);
    await at.write('a/tasks/1.md', 1, { title: 'Another', created: LATE });
    expect((await at.look()).refused).toEqual([expect.stringMatching(/^a\/1 was moved to b/)]);
    expect(await at.rows()).toEqual(['a/1', 'c/1']);
  });

  it('does not take the place of a task with the same number', async () => {
    await using at = await followed();
    await at.write('a/tasks/1.md', 1);
    await at.write('b/tasks/1-own.md', 1, { title: 'Own', created: LATE });
    await at.look();
    await at.set('a/1', LANDED);
    await at.move('a/tasks/1.md', 'b/tasks/1-a.md');
    expect((await at.look()).refused).toEqual([expect.stringMatching(/^is task a\/1, but b has a task 1 of its own/)]);
    expect(await at.task('b/1')).toMatchObject({ standing: 'open', title: 'Own' });
    expect(await at.task('a/1')).toMatchObject({ standing: 'landed' });
  });
});

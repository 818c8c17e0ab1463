import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseBoardConfig, withNextId } from '../../../src/work/task/board-config.ts';
import { claimant } from '../../../src/work/task/claim.ts';
import { createTask } from '../../../src/work/task/create.ts';
import { type DispatchSnapshot, planDispatch } from '../../../src/work/task/dispatch.ts';
import { explain } from '../../../src/work/task/explain.ts';
import { initBoard } from '../../../src/work/task/init-board.ts';
import { readBoard } from '../../../src/work/task/layout.ts';
import { patchYaml } from '../../../src/work/task/patch-yaml.ts';
import { stuck } from '../../../src/work/task/stuck.ts';
import { folder } from './folder.ts';
import { agent, snapshot, task } from './snapshot.ts';

const HOUR = 3_600_000;
const NOW = 10 * HOUR;
const ours = new Set(['calm-otter']);
const claim = (claimedBy: string | null, claimedAt: number, timeout = HOUR) => claimant({ claimedBy, claimedAt }, ours, timeout, NOW);

describe('a claim on the board', () => {
  it('of a person counts while it is fresh', () => expect(claim('ada', NOW - HOUR / 2)).toBe('ada'));
  it('of a person runs out', () => expect(claim('ada', NOW - 2 * HOUR)).toBeUndefined());
  it('without a time never runs out', () => expect(claim('ada', 0)).toBe('ada'));
  it('on a board without a timeout never runs out', () => expect(claim('ada', 1, 0)).toBe('ada'));
  it('of an agent of ours is no person', () => expect(claim('calm-otter', NOW)).toBeUndefined());
  it('keeps agents away, is given as the reason, and lets the work end', () => {
    const claims = { claim: (one: { claimedBy: string | null }) => one.claimedBy ?? undefined };
    const board = snapshot([task('1', { claimedBy: 'ada' })], undefined, claims);
    expect(planDispatch(board, NOW)).toEqual([]);
    expect(explain(board, NOW).get('default/1')?.[0]).toMatchObject({ code: 'claimed', text: expect.stringContaining('claimed by ada') });
    expect(stuck(board, NOW, false)?.left).toHaveLength(1);
  });
});

const limited = (wip: Record<string, number>, classWip = {}): Partial<DispatchSnapshot> => ({
  wip: new Map([['default', { wip, classWip }]]),
});
const three = [agent('a'), agent('b'), agent('c')];
const started = (board: DispatchSnapshot) => planDispatch(board, NOW).map((one) => one.task);

describe('limits of what is under way', () => {
  const open = ['1', '2', '3'].map((id) => task(id));
  const leased = task('9', { standing: 'leased', attempt: 1 });
  it('as many start as the column holds', () => expect(started(snapshot(open, three, limited({ 'in-progress': 2 })))).toHaveLength(2));
  it('what runs takes a place', () => expect(started(snapshot([leased, ...open], three, limited({ 'in-progress': 2 })))).toHaveLength(1));
  it('nobody starts while review is full', () => {
    const board = snapshot([task('9', { standing: 'submitted', attempt: 1 }), ...open], three, limited({ review: 1 }));
    expect(started(board)).toEqual([]);
    expect(explain(board, NOW).get('default/1')?.[0]).toMatchObject({ code: 'wip', text: expect.stringContaining('review is full (1)') });
  });
  it('a class has its own limit, and the next in order start instead', () => {
    const expedite = ['4', '5'].map((id) => task(id, { class: 'expedite' }));
    const board = snapshot([...expedite, ...open], three, limited({}, { expedite: { limit: 1, bypass: true } }));
    expect(started(board)).toEqual(['default/4', 'default/1', 'default/2']);
  });
  it('a class may go past a full column', () => {
    const board = snapshot(
      [leased, task('4', { class: 'expedite' }), ...open],
      three,
      limited({ 'in-progress': 1 }, { expedite: { limit: 1, bypass: true } }),
    );
    expect(started(board)).toEqual(['default/4']);
  });
  it('a finished task of a class takes no place', () => {
    const done = task('9', { class: 'expedite', standing: 'landed', status: 'done' });
    expect(
      started(snapshot([done, task('4', { class: 'expedite' })], three, limited({}, { expedite: { limit: 1, bypass: true } }))),
    ).toHaveLength(1);
  });
  it('work ends when people fill the column, and not while agents do', () => {
    const person = task('9', { status: 'in-progress' });
    expect(stuck(snapshot([person, ...open], three, limited({ 'in-progress': 1 })), NOW, false)?.left).toHaveLength(4);
    expect(stuck(snapshot([leased, ...open], three, limited({ 'in-progress': 1 })), NOW, false)).toBeUndefined();
  });
});

it('the limits and the timeout are read from config.yml', () => {
  const source =
    'version: 10\nclaim_timeout: 1h30m\nwip_limits:\n  in-progress: 3\n  review: 0\nclasses:\n  - name: expedite\n    wip_limit: 1\n    bypass_column_wip: true\n  - name: standard\n';
  expect(parseBoardConfig(source).config).toMatchObject({
    claimTimeoutMs: 1.5 * HOUR,
    wip: { 'in-progress': 3 },
    classWip: { expedite: { limit: 1, bypass: true } },
  });
});

describe('the counter in config.yml', () => {
  const plain = [
    'version: 10\nnext_id: 7\n',
    'next_id: 7\r\nstatuses:\r\n  - a\r\n',
    'tui:\n  next_id: 3\nnext_id: 41',
    '# 1\nnext_id: 7\n# 2\n',
  ];
  it.each(plain)('is read and changed as the whole text would be: %j', (source) => {
    const eol = source.includes('\r\n') ? '\r\n' : '\n';
    expect(parseBoardConfig(source).config.nextId).toBe((parse(source) as { next_id: number }).next_id);
    expect(withNextId(source, 123)).toBe(patchYaml(source, { next_id: 123 }, eol));
    expect(parseBoardConfig(withNextId(source, 123)!).config).toEqual({ ...parseBoardConfig(source).config, nextId: 123 });
  });
  const strange = [
    'next_id: "7"\n',
    'next_id: 007\n',
    'next_id: 7 # soon\n',
    'note: |\n  x\n  next_id: 7\n',
    'next_id: 7\nnext_id: 8\n',
    '"next_id": 7\n',
    'version: 10\n',
  ];
  it.each(strange)('is left to the reader of the whole text where it is written otherwise: %j', (source) => {
    expect(withNextId(source, 9)).toBeUndefined();
  });
});

describe('a new board', () => {
  it('has files that others may read', async () => {
    await using place = folder();
    await initBoard(join(place.path, 'board'), 'x');
    const mode = (file: string) => statSync(join(place.path, 'board', file)).mode & 0o777;
    expect(mode('config.yml')).toBe(0o666 & ~process.umask());
    // A task is added: its file is new, and the counter in config.yml is written anew.
    const made = await createTask(readBoard(join(place.path, 'board')), 'default', { title: 'x' }, NOW);
    expect(readFileSync(join(place.path, 'board', 'config.yml'), 'utf8')).toContain('next_id: 2');
    expect([mode('config.yml'), mode(made.file)]).toEqual([0o666 & ~process.umask(), 0o666 & ~process.umask()]);
  });
});

describe("kanban-md's lock", () => {
  it('is waited for before a task is added', async () => {
    await using place = folder();
    mkdirSync(join(place.path, 'tasks'));
    writeFileSync(join(place.path, '.lock'), '');
    const holder = spawn('flock', [join(place.path, '.lock'), 'sh', '-c', 'echo held; exec cat'], { stdio: ['pipe', 'pipe', 'inherit'] });
    await once(holder.stdout, 'data');
    const order: string[] = [];
    const added = createTask(readBoard(place.path), 'default', { title: 'x' }, NOW).then(() => order.push('added'));
    // A turn of the disk: without the lock the file would be there by now.
    for (let turns = 0; turns < 50; turns++) await new Promise((turn) => setImmediate(turn));
    order.push('let go');
    holder.stdin.end();
    await added;
    expect(order).toEqual(['let go', 'added']);
  });
});

import { existsSync } from 'node:fs';
import { readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { SCHEMA } from '../../src/journal/store.ts';
import { holdLock } from '../../src/platform/lock.ts';
import { ALL } from '../support/all.ts';
import { writeBoard } from '../support/board.ts';
import { farm, furrow, furrowIn, type Said, type TestFarm } from '../support/farm.ts';
import { liveSockets, processesOf } from '../support/processes.ts';
import { branchWith, type TestRepo } from '../support/repo.ts';
import { commits, shellRepo } from './shell.ts';

/** Commands that only look. AGENT is the one that did task 1. */
const LOOKS = [
  'status',
  'list',
  'list --state landed',
  'show 1',
  'why 1',
  'why side',
  'why AGENT',
  'queue',
  'queue --flakes',
  'log',
  'log --task 1',
  'log --last 3',
  'digest',
  'report',
  'metrics',
  'plan',
  'plan --prompt 2',
  'conflicts',
  'diff 1',
  'diff side --stat',
  'logs 1',
  'path AGENT',
  'cost',
  'config',
  'locks',
  'messages',
  'job list',
  'trust --show',
  'next',
  'clean --dry-run',
  'doctor',
  'show 99',
] as const;

interface Stopped extends AsyncDisposable {
  readonly repo: TestRepo;
  readonly running: TestFarm;
  readonly agent: string;
}

/** A farm that landed task 1, has task 2 on its board and a branch in its queue, and was stopped by a person. */
async function stopped(): Promise<Stopped> {
  await using held = new AsyncDisposableStack();
  const repo = held.use(await shellRepo({ 1: commits('1') }));
  await branchWith(repo, 'side', { 'src/side.txt': 'side\n' });
  await writeBoard(repo, [{ id: 1 }]);
  const running = held.use(farm(repo));
  expect(await running.furrow('work', '--parallel', '1')).toMatchObject({ code: 0 });
  const { agent } = (await running.events()).find((event) => event.agent !== null)! as { agent: string };
  for (const words of [
    ['queue', 'pause'],
    ['submit', 'side'],
    ['add', 'Later'],
    ['stop', '--all'],
  ])
    expect(await running.furrow(...words), words.join(' ')).toMatchObject({ code: 0 });
  const kept = held.move();
  return { repo, running, agent, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

const runFolder = ({ root }: TestRepo) => join(root, '.git/furrow.run');

/** All that a look must leave as it was. The lock is tried out: it has to be free. */
async function traces(repo: TestRepo) {
  const lock = holdLock(join(runFolder(repo), 'daemon.lock'));
  lock?.release();
  return {
    free: lock !== undefined,
    refs: await repo.git('for-each-ref', '--format=%(refname) %(objectname)'),
    files: [
      await readdir(join(repo.root, '.furrow/run'), { recursive: true }),
      (await readdir(runFolder(repo))).filter((name) => name !== 'radar'),
    ],
    daemon: await readFile(join(runFolder(repo), 'daemon.json'), 'utf8'),
    processes: processesOf(repo.base).map(({ command }) => command),
    sockets: liveSockets(repo.base),
  };
}

/** An answer without what is another at every moment, or with every process. */
function lasting({ code, stdout, stderr }: Said, since: string) {
  const text = stdout
    .replaceAll(/"pid":(\d+|null)/g, '"pid"')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) => (time > since ? 'NOW' : time))
    .replaceAll(/[\d.]+ GB are free/g, 'GB are free')
    // Of the daemon itself: when it began, and how long each of its looks took, which is the last of the figures.
    .replace(/(?<="name":"furrow_start_time_seconds".*?"samples":)\[.*?\]/, '')
    .replace(/(?<="name":"furrow_tick_seconds").*/, '');
  return { code, text, stderr };
}

it('after stop --all every command that looks answers as a daemon would, and starts none', async () => {
  await using on = await stopped();
  const { repo, agent } = on;
  const words = (look: string) => look.replace('AGENT', agent).split(' ');
  const before = await traces(repo);
  expect(before).toMatchObject({ free: true, processes: [], sockets: [] });
  const said = new Map<string, Said>();
  const looks = LOOKS.filter((_, n) => ALL || n % 3 === 0);
  for (const look of looks) {
    said.set(look, await furrow(repo, ...words(look), '--json'));
    expect(await traces(repo), look).toEqual(before);
  }
  expect(said.get('status')!.json().farm).toMatchObject({ state: 'stopped', pid: null, stopped: expect.any(String) });
  expect(await furrow(repo, 'status')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/stopped {2}no daemon.*\n.*stopped by you/),
  });

  // It waits for messages, so it starts a daemon, which stays while it is asked.
  expect(await furrow(repo, 'inbox')).toMatchObject({ code: 0 });
  const { stopped: since, pid } = (await furrow(repo, 'status', '--json')).json().farm;
  expect(pid).toEqual(expect.any(Number));
  for (const look of looks)
    expect(lasting(said.get(look)!, since), look).toEqual(lasting(await furrow(repo, ...words(look), '--json'), since));
}, 300_000);

it('two that look at once both answer; one beside a command that lets the farm go on does not hinder it', async () => {
  await using on = await stopped();
  const { repo } = on;
  const before = await traces(repo);
  const both = await Promise.all([furrow(repo, 'list'), furrow(repo, 'status', '--json'), furrow(repo, 'queue')]);
  expect(both.map(({ code }) => code)).toEqual([0, 0, 0]);
  expect(await traces(repo)).toEqual(before);

  // Its look has the lock until the test lets it go on.
  const go = join(repo.base, 'go');
  const slow = furrowIn(repo, { env: { FURROW_FAULT: `look.locked:1:hold=${go}` } }, 'list');
  await expect.poll(async () => (await traces(repo)).free).toBe(false);
  const [late, resumed] = [furrow(repo, 'status', '--json'), furrow(repo, 'resume')];
  await expect.poll(() => processesOf(repo.base).some(({ command }) => command.includes('daemon/main'))).toBe(true);
  await writeFile(go, '');
  expect((await Promise.all([slow, late, resumed])).map(({ code }) => code)).toEqual([0, 0, 0]);
  expect((await on.running.ask('status')).farm).toMatchObject({ stopped: null, pid: expect.any(Number) });
}, 120_000);

it('a look that is killed leaves nothing in the way of the next', async () => {
  await using on = await stopped();
  const { repo } = on;
  const before = await traces(repo);
  expect((await furrowIn(repo, { env: { FURROW_FAULT: 'look.locked:1:kill' } }, 'status')).code).not.toBe(0);
  expect(await furrow(repo, 'status')).toMatchObject({ code: 0, stdout: expect.stringContaining('no daemon') });
  expect(await traces(repo)).toEqual(before);
}, 120_000);

it('what a person took out of the target while the farm was stopped is told as taken out, and not as landed', async () => {
  await using on = await stopped();
  const { repo, running } = on;
  const found = async () => {
    const { farm: seen, attention } = (await furrow(repo, 'status', '--json')).json();
    return { daemon: seen.pid !== null, kinds: attention.map((one: { kind: string }) => one.kind) };
  };
  expect(await found()).toEqual({ daemon: false, kinds: [] });
  await repo.git('reset', '--hard', '--quiet', 'main~1');
  expect(await found()).toEqual({ daemon: true, kinds: ['removed'] });
  expect(await running.furrow('stop', '--all')).toMatchObject({ code: 0 });
  expect(await found()).toEqual({ daemon: false, kinds: ['removed'] });
  await repo.git('merge', '--quiet', '--ff-only', 'ORIG_HEAD');
  expect(await found()).toEqual({ daemon: true, kinds: [] });
  expect(await running.furrow('stop', '--all')).toMatchObject({ code: 0 });

  // The head that furrow itself keeps, moved by hand, is not believed either.
  await repo.git('update-ref', 'refs/furrow/head/main', 'side');
  expect((await furrow(repo, 'status', '--json')).json().farm.pid).toEqual(expect.any(Number));
}, 120_000);

it('files that a person edits while the farm is stopped are in the next answer, and no daemon starts for them', async () => {
  await using on = await stopped();
  const { repo } = on;
  await writeBoard(repo, [{ id: 7, title: 'By hand' }]);
  await repo.write('furrow.yaml', `${await readFile(join(repo.root, 'furrow.yaml'), 'utf8')}parallel: 3\n`);
  expect((await furrow(repo, 'list', '--json')).json()).toContainEqual(expect.objectContaining({ id: '7', title: 'By hand' }));
  expect(await furrow(repo, 'config')).toMatchObject({ code: 0, stdout: expect.stringContaining('parallel: 3') });
  expect(processesOf(repo.base)).toEqual([]);
  // Another target is a daemon's to follow.
  await repo.write('furrow.yaml', `${await readFile(join(repo.root, 'furrow.yaml'), 'utf8')}target: side\n`);
  expect((await furrow(repo, 'status', '--json')).json()).toMatchObject({ target: 'side', farm: { pid: expect.any(Number) } });
}, 120_000);

it('a store of another version is left to a daemon, a broken one is told and mended once, a lost one is made again', async () => {
  await using on = await stopped();
  const { repo, running } = on;
  const store = join(repo.root, '.furrow/store.db');
  const db = new DatabaseSync(store);
  db.exec(`update meta set value = '${SCHEMA + 1}' where key = 'schema'`);
  expect(await furrow(repo, 'status')).toMatchObject({ code: 1, stderr: expect.stringContaining('written by a newer furrow') });
  db.exec(`update meta set value = '${SCHEMA}' where key = 'schema'`);
  db.close();
  expect(await furrow(repo, 'status')).toMatchObject({ code: 0, stdout: expect.stringContaining('no daemon') });

  for (const end of ['-wal', '-shm']) await rm(`${store}${end}`, { force: true });
  await truncate(store, 5000);
  expect(await furrow(repo, 'status')).toMatchObject({ code: 1, stderr: expect.stringContaining('is broken') });
  expect(await furrow(repo, 'doctor')).toMatchObject({ code: 1, stdout: expect.stringContaining('doctor --fix') });
  expect(await furrow(repo, 'doctor', '--fix')).toMatchObject({ stdout: expect.stringContaining('(repaired)') });
  expect((await running.ask('show', '1')).state).toBe('landed');
  expect(await running.furrow('stop', '--all')).toMatchObject({ code: 0 });

  await rm(store);
  const { farm: found } = (await furrow(repo, 'status', '--json')).json();
  expect(found).toMatchObject({ pid: expect.any(Number), stopped: expect.any(String) });
  expect((await running.ask('show', '1')).state).toBe('landed');
  expect(existsSync(store)).toBe(true);
}, 180_000);

it('a farm that nobody stopped gets a daemon from any command, and what follows or waits gets one also after stop --all', async () => {
  await using on = await stopped();
  const { repo, running } = on;
  expect(await furrow(repo, 'inbox')).toMatchObject({ code: 0 });
  expect((await running.ask('status')).farm.pid).toEqual(expect.any(Number));
  expect(await running.furrow('resume')).toMatchObject({ code: 0 });
  const { pid } = (await running.ask('status')).farm;
  process.kill(pid, 'SIGKILL');
  await expect.poll(() => processesOf(repo.base).some((one) => one.pid === pid)).toBe(false);
  const again = (await furrow(repo, 'status', '--json')).json().farm;
  expect(again).toMatchObject({ stopped: null, pid: expect.any(Number) });
  expect(again.pid).not.toBe(pid);
}, 120_000);

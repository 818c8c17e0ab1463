import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { replayChecks } from '../support/oracle.ts';
import { lives, processesOf } from '../support/processes.ts';
import { type Gated, gated, good } from './gates.ts';

const HEAD = 'refs/furrow/head/main';
const TWO_BY_TWO = '{ slots: 2, batch: 2 }';

const landings = async ({ repo, start }: Gated) =>
  (await repo.git('rev-list', '--first-parent', `${start}..${HEAD}`)).split('\n').filter(Boolean);
const changesOnHead = async ({ repo }: Gated) =>
  (await repo.git('ls-tree', '--name-only', HEAD, 'changes/')).split('\n').map((path) => path.slice(8));
const red = async ({ repo, start }: Gated) => (await replayChecks(repo, HEAD, 'sh check.sh', start)).red;

it('branches submitted together are checked as one stack, each prefix in a slot; the longest green one lands as one commit', async () => {
  await using stand = await gated(TWO_BY_TWO, good('a', 'b', 'c', 'd'));
  await stand.submit('a', 'b', 'c', 'd');
  await stand.seen('a', 'b');
  await stand.seen('a', 'b', 'c', 'd');
  const { checks } = await stand.client.call('queue', {});
  expect(checks.map(({ tasks }) => tasks.length).sort()).toEqual([2, 4]);
  expect(new Set(checks.map(({ slot }) => slot)).size).toBe(2);
  await stand.open('a', 'b', 'c', 'd');
  const ends = await Promise.all(['a', 'b', 'c', 'd'].map((name) => stand.ended(name)));
  const [commit] = await landings(stand);
  expect(ends).toEqual(ends.map(() => ({ state: 'landed', reason: null, commit, stuck: null, waits: null })));
  expect(await landings(stand)).toHaveLength(1);
  expect(await changesOnHead(stand)).toEqual(['0', 'a', 'b', 'c', 'd']);
  const trailers = await stand.repo.git('log', '-1', '--format=%(trailers:key=Furrow-Task,valueonly)', HEAD);
  expect(trailers.split('\n').filter(Boolean)).toEqual(['a', 'b', 'c', 'd'].map((name) => stand.taskOf(name)));
  await expect.poll(async () => (await stand.client.call('queue', {})).checks, { message: 'the shorter check is ended' }).toEqual([]);
});

it('a bad one among them is found and rejected with its evidence, and all the others land', async () => {
  const bad = { b: { 'changes/b': 'bad\n' } };
  await using stand = await gated('{ slots: 2, batch: 4 }', { ...good('a', 'c', 'd', 'e'), ...bad });
  await stand.open();
  await stand.submit('a', 'b', 'c', 'd', 'e');
  expect(await stand.ended('b')).toMatchObject({ state: 'rejected', reason: expect.stringContaining('check') });
  for (const name of ['a', 'c', 'd', 'e']) expect(await stand.ended(name)).toMatchObject({ state: 'landed' });
  expect(await changesOnHead(stand)).toEqual(['0', 'a', 'c', 'd', 'e']);
  expect(await red(stand)).toEqual([]);
});

it('a paused queue lands nothing, not even what has passed, and goes on after resume', async () => {
  await using stand = await gated(TWO_BY_TWO, good('a', 'b'));
  await stand.submit('a');
  await stand.seen('a');
  await stand.client.call('pauseQueue', { paused: true });
  await stand.open('a');
  await expect.poll(async () => (await stand.client.call('queue', {})).checks).toEqual([]);
  // One more look of the farm: by the end of it a green entry would have landed.
  await stand.client.call('submit', { branch: 'b' });
  expect(await stand.entry('a')).not.toMatchObject({ state: 'landed' });
  await stand.open();
  await stand.client.call('pauseQueue', { paused: false });
  await stand.ended('a');
  const order = (await stand.farm.events()).map(({ kind }) => kind);
  expect(order.indexOf('landing.landed')).toBeGreaterThan(order.lastIndexOf('queue.resumed'));
});

it('eject takes one out of the middle of a stack; the rest is stacked anew without it and lands', async () => {
  await using stand = await gated(TWO_BY_TWO, good('a', 'b', 'c', 'd'));
  await stand.submit('a', 'b', 'c', 'd');
  await stand.seen('a', 'b', 'c', 'd');
  await stand.client.call('eject', { task: stand.taskOf('b') });
  await stand.seen('a', 'c', 'd');
  await stand.open('a', 'c', 'd');
  for (const name of ['a', 'c', 'd']) expect(await stand.ended(name)).toMatchObject({ state: 'landed' });
  expect(await stand.ended('b')).toMatchObject({ state: 'cancelled' });
  expect(await changesOnHead(stand)).toEqual(['0', 'a', 'c', 'd']);
});

it('a daemon killed while a stack is checked loses nothing: the same trees are checked again and land once', async () => {
  await using stand = await gated(TWO_BY_TWO, good('a', 'b', 'c', 'd'));
  await stand.submit('a', 'b', 'c', 'd');
  await stand.seen('a', 'b');
  await stand.seen('a', 'b', 'c', 'd');
  const { pid } = await stand.client.call('ping', {});
  const daemon = processesOf(stand.repo.base).find((seen) => seen.pid === pid)!;
  expect(lives(daemon)).toBe(true);
  process.kill(pid, 'SIGKILL');
  await expect.poll(() => lives(daemon)).toBe(false);
  await stand.forget();
  await stand.reconnect();
  await stand.seen('a', 'b');
  await stand.seen('a', 'b', 'c', 'd');
  const checks = processesOf(stand.repo.base).filter((seen) => seen.command === 'sh check.sh');
  // By slot: a script that is just starting a command is there twice for a moment.
  expect([...new Set(checks.map((seen) => seen.cwd))].sort(), 'those of the killed one are gone').toEqual(
    ['1', '2'].map((slot) => join(`${stand.repo.root}.furrow`, 'slots', slot)),
  );
  await stand.open('a', 'b', 'c', 'd');
  for (const name of ['a', 'b', 'c', 'd']) expect(await stand.ended(name)).toMatchObject({ state: 'landed' });
  expect(await landings(stand)).toHaveLength(1);
});

it('what conflicts only with the chain ahead waits for it, and is handed back when that has landed', async () => {
  const clash = { a: { 'changes/a': 'good\n', 'list.txt': 'a\n' }, b: { 'changes/b': 'good\n', 'list.txt': 'b\n' } };
  await using stand = await gated(TWO_BY_TWO, { ...clash, ...good('c') });
  await stand.submit('a', 'b', 'c');
  await stand.seen('a', 'c');
  expect(await stand.entry('b')).toMatchObject({ state: 'queued', reason: expect.stringContaining(stand.taskOf('a')) });
  await stand.open();
  expect(await stand.ended('b')).toMatchObject({ state: 'conflict', reason: expect.stringContaining('list.txt') });
  for (const name of ['a', 'c']) expect(await stand.ended(name)).toMatchObject({ state: 'landed' });
  expect(await changesOnHead(stand)).toEqual(['0', 'a', 'c']);
});

it('a check that fails on the head too stops the line with attention and blames nobody; resume lets it try again', async () => {
  await using stand = await gated(TWO_BY_TWO, good('a', 'b', 'c'));
  const down = join(stand.repo.base, 'gates', 'down');
  await stand.repo.write('../gates/down', '');
  await stand.open();
  await stand.submit('a', 'b', 'c');
  const attention = async () => (await stand.client.call('status', {})).attention.map(({ kind, reason }) => `${kind}: ${reason}`);
  await expect.poll(attention).toEqual([expect.stringContaining('queue: main itself fails')]);
  await rm(down);
  await stand.client.call('pauseQueue', { paused: false });
  for (const name of ['a', 'b', 'c']) expect(await stand.ended(name)).toMatchObject({ state: 'landed' });
  await expect.poll(attention).toEqual([]);
});

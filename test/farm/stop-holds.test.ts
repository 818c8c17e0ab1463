import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { connect } from '../../src/api/client.ts';
import type { CallName, In } from '../../src/api/contract.ts';
import { socketPath } from '../../src/api/place.ts';
import { killDaemon } from '../support/farm.ts';
import { look } from '../support/processes.ts';
import type { TestRepo } from '../support/repo.ts';
import { type Gated, gated } from './gates.ts';

const QUEUE = '{ slots: 1, batch: 1, retries: 0 }';
const ONE = { one: { 'changes/one': '1\n' }, two: { 'changes/two': '2\n' } };

/** Calls that only look, each with what it looks at. */
const LOOKS: { readonly [N in CallName]?: In<N> } = {
  status: {},
  list: {},
  queue: {},
  plan: {},
  why: { subject: 'one' },
  diff: { subject: 'one', format: 'stat', paths: [], width: 80 },
  digest: { tokens: 2000 },
  report: {},
  conflicts: {},
  config: {},
  cost: {},
  locks: {},
  messages: {},
  logs: { subject: 'one' },
  preflight: { wait: true },
  doctor: { fix: false },
};

/** All that a stopped farm must leave alone: every ref but the number of the daemon itself, and the logs of checks. */
async function still({ root, git }: TestRepo) {
  const refs = (await git('for-each-ref', '--format=%(refname) %(objectname)')).split('\n');
  const logs = join(root, '.furrow/logs/checks');
  return {
    refs: refs.filter((line) => !line.startsWith('refs/furrow/epoch ')),
    checks: existsSync(logs) ? (await readdir(logs, { recursive: true })).toSorted() : [],
  };
}

async function looked({ farm, repo }: Gated): Promise<void> {
  const before = await still(repo);
  expect(await farm.furrow('status')).toMatchObject({ code: 0, stdout: expect.stringContaining('stopped by you') });
  const client = await connect(repo.root, { start: true });
  for (const [name, args] of Object.entries(LOOKS)) await client.call(name as CallName, args as never).catch(() => {});
  client.close();
  expect(await still(repo)).toEqual(before);
}

it('after stop --all no command that looks starts a check, lands or publishes, until a person says resume', async () => {
  await using on = await gated(QUEUE, ONE);
  await on.submit('one');
  await on.seen('one');
  expect(await on.farm.furrow('stop', '--all')).toMatchObject({ code: 0, stdout: expect.stringContaining('the farm is stopped') });
  await on.open();
  await looked(on);
  expect((await on.farm.ask('why', 'one')).reasons).toMatchObject([{ code: 'stopped' }]);
  expect((await on.farm.ask('status')).farm).toMatchObject({ state: 'stopped', stopped: expect.stringMatching(/^\d{4}-/) });
  await killDaemon(on.farm);
  await looked(on);
  expect(await on.farm.furrow('resume')).toMatchObject({ code: 0, stdout: expect.stringContaining('not stopped any more') });
  await on.reconnect();
  expect(await on.ended('one')).toMatchObject({ state: 'landed' });
  expect((await on.farm.ask('status')).farm).toMatchObject({ stopped: null });
});

it('stop cuts a check short and keeps the daemon; what people say is stored and starts nothing, until submit', async () => {
  await using on = await gated(QUEUE, ONE);
  await on.submit('one');
  await on.seen('one');
  const { pid } = (await on.farm.ask('status')).farm;
  expect(await on.farm.furrow('stop')).toMatchObject({ code: 0, stdout: expect.stringContaining('furrow resume') });
  await on.open();
  const before = await still(on.repo);
  const { id } = await on.client.call('add', { title: 'Later' });
  await on.client.call('edit', { task: id, title: 'Later still' });
  await on.client.call('pauseQueue', { paused: false });
  await on.client.call('retry', { task: id }).catch(() => {});
  await expect(on.client.call('split', { goal: 'all of it' })).rejects.toMatchObject({ code: 'STOPPED' });
  expect((await on.farm.ask('status')).farm).toMatchObject({ state: 'stopped', pid });
  expect(await still(on.repo)).toEqual(before);
  expect(await on.farm.furrow('doctor', '--check')).toMatchObject({ code: 0 });
  expect(await on.repo.git('rev-parse', 'main')).toBe(on.start);
  expect(await on.farm.furrow('submit', 'two', '--wait')).toMatchObject({ code: 0 });
  expect(await on.ended('one')).toMatchObject({ state: 'landed' });
});

it('stop --all holds where the daemon was killed before, and its own answering daemon ends by itself', async () => {
  await using on = await gated(QUEUE, ONE);
  await on.submit('one');
  await on.seen('one');
  await killDaemon(on.farm);
  await on.open();
  await rm(socketPath(on.repo.root));
  expect(await on.farm.furrow('stop', '--all', '--now')).toMatchObject({ code: 0 });
  const before = await still(on.repo);
  const { pid } = (await on.farm.ask('status')).farm;
  await expect.poll(() => look(pid), { timeout: 90_000, interval: 500 }).toBeUndefined();
  expect(await still(on.repo)).toEqual(before);
});

import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { daemonOf } from '../../src/platform/daemon-lock.ts';
import { currentLeader, takeLead } from '../../src/platform/engine/postgres/lead.ts';
import { ask } from '../../src/platform/engine/postgres/open.ts';
import { postgresPlace } from '../../src/platform/engine/postgres/place.ts';
import { scriptedRepo } from '../farm/shell.ts';
import { writeBoard } from '../support/board.ts';
import { newSchema } from '../support/engines.ts';
import { begin, COLD, farm } from '../support/farm.ts';
import { wireTo } from '../support/wire.ts';

/** Promised is 10 s on a machine that has nothing else to do. */
const TAKE_OVER_MS = 30_000;

it.each(['SIGKILL', 'SIGSTOP'] as const)(
  'a standby leads after %s of the daemon, and the agent at work lands its work once',
  async (signal) => {
    await using made = await newSchema();
    await using repo = await scriptedRepo('');
    Object.assign(repo.env, COLD, { FURROW_STORE: made.url });
    const gate = join(repo.base, 'gate');
    await writeBoard(repo, [{ id: 1, script: ['write src/1.txt 1', 'commit one', `wait ${gate}`] }]);
    await using running = farm(repo);
    await running.furrow('work', '--parallel', '1', '--detach');
    await expect.poll(() => existsSync(`${gate}.seen`)).toBe(true);
    const first = daemonOf(join(repo.root, '.git'))!;
    const standby = begin(repo, 'leader', '--standby');
    await standby.said(`standing by: this farm is led by the daemon ${first.pid}`);
    const began = performance.now();
    process.kill(first.pid, signal);
    await standby.said('this daemon leads the farm now');
    if (signal === 'SIGSTOP') await standby.said('it is killed');
    await expect.poll(async () => (await running.ask('status')).farm.pid).not.toBe(first.pid);
    expect(performance.now() - began).toBeLessThan(TAKE_OVER_MS);
    expect(await currentLeader(made.place)).toMatchObject({
      epoch: 2,
      holder: expect.stringContaining(String((await running.ask('status')).farm.pid)),
    });
    await writeFile(gate, '');
    await expect.poll(async () => (await running.ask('list')).map((task: { state: string }) => task.state)).toEqual(['landed']);
    expect((await running.events()).filter(({ kind }) => kind === 'attempt.ended').length).toBe(1);
    await running.furrow('stop', '--all');
    expect(await standby.ended).toMatchObject({ code: 0 });
  },
);

it('a daemon that is cut off from the database is replaced, ends by itself, and changes nothing any more', async () => {
  await using made = await newSchema();
  await using repo = await scriptedRepo('');
  const url = new URL(made.url);
  await using wire = await wireTo(Number(url.port));
  url.port = String(wire.port);
  Object.assign(repo.env, COLD, { FURROW_STORE: url.href });
  await using running = farm(repo);
  await running.furrow('add', 'One');
  const first = daemonOf(join(repo.root, '.git'))!;
  repo.env['FURROW_STORE'] = made.url;
  const standby = begin(repo, 'leader', '--standby');
  await standby.said('standing by');
  wire.lose('asked');
  wire.cut();
  await standby.said('this daemon leads the farm now');
  await expect.poll(async () => (await running.ask('status')).farm.pid).not.toBe(first.pid);
  expect((await running.ask('list')).map((task: { title: string }) => task.title)).toEqual(['One']);
  await running.furrow('stop', '--all');
  await standby.ended;
});

it('a second daemon for the same store is told who leads, and one without a database cannot stand by', async () => {
  await using made = await newSchema();
  await using repo = await scriptedRepo('');
  Object.assign(repo.env, COLD, { FURROW_STORE: made.url });
  await using running = farm(repo);
  await running.furrow('add', 'One');
  await running.furrow('stop', '--all');
  const other = await takeLead(
    postgresPlace(made.url, ''),
    { holder: 'the daemon 7 on elsewhere', place: 'elsewhere', alone: true },
    () => {},
  );
  const refused = { code: 75, stderr: expect.stringMatching(/led by the daemon 7 on elsewhere[\s\S]*try: furrow leader --standby/) };
  expect(await running.furrow('add', 'Two')).toMatchObject(refused);
  if ('fence' in other) await other.release();
  expect(await running.furrow('add', 'Two')).toMatchObject({ code: 0 });
  const { rows } = await ask(made.place, (session) => session.query<{ count: number }>('select count(*) as count from task'));
  expect(rows).toEqual([{ count: 2 }]);
  await using plain = await scriptedRepo('');
  plain.env['FURROW_STORE'] = '';
  await using quiet = farm(plain);
  await quiet.furrow('add', 'One');
  expect(await quiet.furrow('leader', '--standby')).toMatchObject({ code: 1, stderr: expect.stringContaining('furrow store move') });
});

import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { summaryOf, TABLES } from '../../src/journal/copy.ts';
import { openOnPostgres, openStore } from '../../src/journal/store.ts';
import { ask } from '../../src/platform/engine/postgres/open.ts';
import { postgresPlace, schemaOf } from '../../src/platform/engine/postgres/place.ts';
import { readFarmFile } from '../../src/platform/farm-file.ts';
import { scriptedRepo } from '../farm/shell.ts';
import { writeBoard } from '../support/board.ts';
import { SERVER } from '../support/engines.ts';
import { farm, type TestFarm } from '../support/farm.ts';
import type { TestRepo } from '../support/repo.ts';

/** A farm that has landed something, stopped. */
async function worked(): Promise<{ repo: TestRepo; running: TestFarm; url: string } & AsyncDisposable> {
  const repo = await scriptedRepo('');
  repo.env['FURROW_STORE'] = '';
  const running = farm(repo);
  await writeBoard(repo, [{ id: 1, script: ['write src/1.txt 1', 'commit one'] }]);
  await running.furrow('work', '--parallel', '1');
  await running.furrow('add', 'Not yet "quoted" \u{f5ee}');
  await running.furrow('stop', '--all');
  const url = process.env[SERVER]!;
  const dispose = async () => {
    await running[Symbol.asyncDispose]();
    const { schema } = placeOf(repo, url);
    await ask(postgresPlace(url, 'public'), async (session) => {
      const { rows } = await session.query<{ name: string }>(
        `select nspname as name from pg_namespace where nspname like '${schema.slice(0, 40)}%'`,
      );
      for (const { name } of rows) await session.query(`drop schema ${name} cascade`);
    });
    await repo[Symbol.asyncDispose]();
  };
  return { repo, running, url, [Symbol.asyncDispose]: dispose };
}

const placeOf = (repo: TestRepo, url: string) => postgresPlace(url, schemaOf('repo', readFarmFile(join(repo.root, '.git'))!.id));
const fileOf = (repo: TestRepo) => join(repo.root, '.furrow/store.db');

/** Numbers and hashes of all tables, read by the test itself. */
async function summary(repo: TestRepo, url: string) {
  const postgres = readFarmFile(join(repo.root, '.git'))!.postgres !== undefined;
  const db = postgres ? await openOnPostgres(placeOf(repo, url)) : await openStore(fileOf(repo));
  const all: Record<string, unknown> = {};
  for (const table of TABLES) all[table] = await summaryOf(db, table);
  await db.destroy();
  return all;
}

const states = async (running: TestFarm) => (await running.ask('list')).map((task: { state: string }) => task.state);

it('goes to PostgreSQL and back with every row, keeps what it was aside, and the farm goes on', async () => {
  await using at = await worked();
  const { repo, running, url } = at;
  const before = await summary(repo, url);
  expect(Object.keys(before).length).toBeGreaterThan(20);
  repo.env['FURROW_STORE'] = url;
  const there = await running.furrow('store', 'move', '--json');
  expect(there).toMatchObject({ code: 0 });
  expect(await summary(repo, url)).toEqual(before);
  expect(existsSync(fileOf(repo))).toBe(false);
  expect((await readdir(join(repo.root, '.furrow'))).filter((name) => name.startsWith('store.db.moved-')).length).toBe(1);
  expect(await states(running)).toEqual(['landed', 'ready']);
  expect(await running.furrow('add', 'Three')).toMatchObject({ code: 0 });
  await running.furrow('stop', '--all');
  const meanwhile = await summary(repo, url);
  expect(await running.furrow('store', 'move', 'file')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('each the same as before'),
  });
  expect(await summary(repo, url)).toEqual(meanwhile);
  repo.env['FURROW_STORE'] = '';
  expect((await states(running)).length).toBe(3);
});

it('waits for no daemon and takes no password from a command line, and says what to type', async () => {
  await using at = await worked();
  const { repo, running, url } = at;
  expect(await running.furrow('store', 'move')).toMatchObject({ code: 2, stderr: expect.stringContaining('neither FURROW_STORE') });
  const said = await running.furrow('store', 'move', url);
  expect(said).toMatchObject({ code: 2, stderr: expect.stringContaining('seen by everybody') });
  await running.furrow('resume');
  await running.furrow('status');
  repo.env['FURROW_STORE'] = url;
  expect(await running.furrow('store', 'move')).toMatchObject({ code: 1, stderr: expect.stringContaining('furrow stop --all') });
  expect(await running.furrow('store')).toMatchObject({ stdout: expect.stringContaining('the store is the file') });
});

/** Where a kill meets it, and how many times it has passed there: within the tables, before and after the farm's file is written. */
const KILLS = ['store.move.table:1', 'store.move.table:12', 'store.move.copied:1', 'store.move.named:1'];

it.each(KILLS)(
  'killed at %s, in either direction, it leaves one store, which has all, and the same command again completes it',
  async (point) => {
    await using at = await worked();
    const { repo, running, url } = at;
    const before = await summary(repo, url);
    repo.env['FURROW_STORE'] = url;
    for (const to of [[], ['file']]) {
      repo.env['FURROW_FAULT'] = `${point}:kill`;
      expect((await running.furrow('store', 'move', ...to)).code).not.toBe(0);
      delete repo.env['FURROW_FAULT'];
      expect(await running.furrow('store')).toMatchObject({ code: 0 });
      expect(await summary(repo, url)).toEqual(before);
      const again = await running.furrow('store', 'move', ...to);
      if (point.startsWith('store.move.named')) expect(again.stderr).toContain('already');
      else expect(again).toMatchObject({ code: 0 });
      expect(await summary(repo, url)).toEqual(before);
      expect(readFarmFile(join(repo.root, '.git'))!.postgres !== undefined).toBe(to.length === 0);
    }
  },
);

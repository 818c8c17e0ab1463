import { existsSync, renameSync } from 'node:fs';
import { basename } from 'node:path';
import type { Moved, MoveOrder, MoveProgram, MoveProgress } from '../api/store-move.ts';
import { storeUrl } from '../config/person.ts';
import { repositoryKey } from '../config/trust/store.ts';
import { copyTable, summaryOf, TABLES } from '../journal/copy.ts';
import { type Db, forgetMeta, openOnPostgres, openStore } from '../journal/store.ts';
import { holdForLook } from '../platform/daemon-lock.ts';
import { type PostgresPlace, postgresPlace, schemaOf, secretsOf } from '../platform/engine/postgres/place.ts';
import { putStoreAside, writeLogBack } from '../platform/engine/sqlite.ts';
import { FurrowError } from '../platform/error.ts';
import { type FarmFile, readFarmFile, writeFarmFile } from '../platform/farm-file.ts';
import { faultPoint } from '../platform/fault.ts';
import { findRepo } from '../platform/git/repository.ts';
import type { Repo } from '../platform/git/run.ts';
import { placesOf } from '../platform/places.ts';
import { hold } from './farm-store.ts';

export const where: MoveProgram['where'] = async (root) => nameOf(await farmAt(await findRepo(root)));

/**
 * Copies the store to another place and compares every table. The farm's own file says where the store is, before and after: it is written
 * once, when the copy is whole, so a kill at any instant leaves the farm with the one or with the other. The store as it was is kept aside.
 */
export const move: MoveProgram['move'] = async (root, order) => {
  const repo = await findRepo(root);
  const lock = await holdForLook(repo);
  if (!lock)
    throw new FurrowError('DAEMON_RUNS', 'a daemon works with the store', { hint: 'furrow stop --all, then the same command again' });
  try {
    const farm = await farmAt(repo);
    return await (order.to === 'file' ? intoFile(farm, order) : intoPostgres(farm, order));
  } finally {
    lock.release();
  }
};

interface FarmAt {
  readonly repo: Repo;
  readonly file: FarmFile;
  readonly store: string;
}

async function farmAt(repo: Repo): Promise<FarmAt> {
  const file = readFarmFile(repo.gitDir);
  const { store } = placesOf(repo.root);
  if (!file || (file.postgres === undefined && !existsSync(store)))
    throw new FurrowError('NO_STORE', 'this repository has no store yet', {
      hint: 'furrow status; with FURROW_STORE set, a new farm has its store there',
    });
  if (file.gitDir !== repo.gitDir || file.lost)
    throw new FurrowError('STORE_UNSETTLED', 'the repository was moved or copied, or lost its store, since a daemon was here', {
      hint: 'furrow status, furrow stop --all, then the same command again',
    });
  return { repo, file, store };
}

const nameOf = ({ file, store }: FarmAt): string => (file.postgres === undefined ? `the file ${store}` : `PostgreSQL at ${file.postgres}`);

async function intoPostgres(farm: FarmAt, order: MoveOrder): Promise<Moved> {
  const { repo, file, store } = farm;
  const place = await targetOf(farm, order);
  if (file.postgres !== undefined)
    throw new FurrowError('STORE_ELSEWHERE', `the store is at ${file.postgres} already`, { hint: 'furrow store' });
  const { isMade, prepare, renameAside } = await import('../platform/engine/postgres/open.ts');
  const aside: string[] = [];
  if (await isMade(place)) {
    // The farm's own file says that its store is not there, so it is what a move has left.
    if (!place.schema.endsWith(`_${file.id}`))
      throw new FurrowError('STORE_NOT_EMPTY', `there is a store at ${place.name}`, {
        hint: 'name another schema, by ?schema=NAME in the URL',
      });
    aside.push(`the schema ${await renameAside(place)}, which an earlier move has left`);
  }
  await prepare(place);
  const { lead } = await hold(repo, place, repositoryKey(repo.gitDir));
  try {
    const to = await openOnPostgres(place, lead.fence);
    const tables = await outOf(store, to, order.told).finally(() => to.destroy());
    await faultPoint('store.move.copied');
    await writeFarmFile(repo, { ...file, postgres: place.name });
    await faultPoint('store.move.named');
    aside.push(`${putStoreAside(store, Date.now(), 'moved')}, as it was`);
    return { from: nameOf(farm), to: `PostgreSQL at ${place.name}`, tables, aside };
  } finally {
    await lead.release();
  }
}

async function outOf(path: string, to: Db, told: MoveOrder['told']): Promise<Moved['tables']> {
  const from = await openStore(path);
  try {
    const tables = await copied(from, to, told);
    await writeLogBack(from);
    return tables;
  } finally {
    await from.destroy();
  }
}

async function intoFile(farm: FarmAt, order: MoveOrder): Promise<Moved> {
  const { repo, file, store } = farm;
  if (file.postgres === undefined)
    throw new FurrowError('STORE_ELSEWHERE', `the store is the file ${store} already`, { hint: 'furrow store' });
  const place = await targetOf(farm, order);
  const { isMade, renameAside } = await import('../platform/engine/postgres/open.ts');
  if (!(await isMade(place)))
    throw new FurrowError('STORE_GONE', `there is no store of this farm at ${place.name}; it was at ${file.postgres}`, {
      hint: 'set FURROW_STORE to where it is',
    });
  const { lead } = await hold(repo, place, repositoryKey(repo.gitDir));
  try {
    const aside: string[] = [];
    // What an earlier move has left: the farm's own file says that its store is not there.
    for (const left of [`${store}.new`, store])
      if (existsSync(left)) aside.push(`${putStoreAside(left, Date.now(), 'left')}, which an earlier move has left`);
    const from = await openOnPostgres(place, lead.fence);
    const tables = await into(`${store}.new`, from, order.told).finally(() => from.destroy());
    renameSync(`${store}.new`, store);
    await faultPoint('store.move.copied');
    const { postgres: _, ...rest } = file;
    await writeFarmFile(repo, rest);
    await faultPoint('store.move.named');
    aside.push(`the schema ${await renameAside(place)}, as it was`);
    return { from: nameOf(farm), to: `the file ${store}`, tables, aside };
  } finally {
    await lead.release();
  }
}

async function into(path: string, from: Db, told: MoveOrder['told']): Promise<Moved['tables']> {
  const to = await openStore(path);
  try {
    const tables = await copied(from, to, told);
    await writeLogBack(to);
    return tables;
  } finally {
    await to.destroy();
  }
}

/** Copies every table in one transaction, and reads it back. */
async function copied(from: Db, to: Db, told: (progress: MoveProgress) => void): Promise<Moved['tables']> {
  return to.transaction().execute(async (tx) => {
    const tables: Moved['tables'][number][] = [];
    // A new store has its number in it.
    await forgetMeta(tx, '%');
    for (const table of TABLES) {
      const read = await copyTable(from, tx, table, (rows) => told({ table, rows }));
      const there = await summaryOf(tx, table);
      if (there.rows !== read.rows || there.hash !== read.hash)
        throw new FurrowError(
          'STORE_DIFFERS',
          `the table ${table} is not the same after it was copied: ${read.rows} rows, and ${there.rows}`,
          {
            hint: 'the store stays where it was; please report this',
          },
        );
      await faultPoint('store.move.table');
      tables.push({ table, ...read });
    }
    return tables;
  });
}

/** The database that the person means: of the command, or the one that they set. */
async function targetOf({ repo, file }: FarmAt, { to, env }: MoveOrder): Promise<PostgresPlace> {
  const named = to === 'file' ? undefined : to;
  if (named !== undefined && secretsOf(named).length > 0)
    throw new FurrowError('USAGE', 'a password on a command line is seen by everybody on this machine', {
      hint: 'FURROW_STORE=postgres://… furrow store move, or put the password into ~/.pgpass',
    });
  const url = named ?? (await storeUrl(env));
  if (url === undefined)
    throw new FurrowError('USAGE', 'say which database: neither FURROW_STORE nor `store:` of your config.yaml names one', {
      hint: 'furrow store move postgres://USER@HOST:5432/DATABASE',
    });
  return postgresPlace(url, schemaOf(basename(repo.root), file.id));
}

import { randomBytes } from 'node:crypto';
import { type Db, openOnPostgres } from '../../src/journal/store.ts';
import { takeLead } from '../../src/platform/engine/postgres/lead.ts';
import { ask, prepare } from '../../src/platform/engine/postgres/open.ts';
import { type PostgresPlace, postgresPlace } from '../../src/platform/engine/postgres/place.ts';

/** Names the server of a test run to its workers; without it, no test may ask for one. */
export const SERVER = 'FURROW_TEST_POSTGRES';

/** In the project `postgres`, tests that make a store by `newStore`, and farms, have it there. */
export const onPostgres = (): boolean => process.env['FURROW_TEST_ENGINE'] === 'postgres';

/** A schema of its own in the database of the run, gone when the test ends. */
export async function newSchema(): Promise<{ readonly place: PostgresPlace; readonly url: string } & AsyncDisposable> {
  const server = process.env[SERVER];
  if (server === undefined)
    throw new Error('this run has no PostgreSQL: apt-get install postgresql, and FURROW_TESTS=all npx vitest run --project postgres');
  const schema = `t_${randomBytes(8).toString('hex')}`;
  const place = postgresPlace(server, schema);
  return {
    place,
    url: `${server}?schema=${schema}`,
    [Symbol.asyncDispose]: () => ask(place, async (session) => void (await session.query(`drop schema if exists ${schema} cascade`))),
  };
}

/** A store on PostgreSQL as a daemon has it: with a fence. */
export async function newPostgresStore(): Promise<{ readonly db: Db } & AsyncDisposable> {
  const made = await newSchema();
  await prepare(made.place);
  const lead = await takeLead(made.place, { holder: 'a test', place: 'a test', alone: false }, () => {});
  if (!('fence' in lead)) throw new Error('somebody else leads');
  const db = await openOnPostgres(made.place, lead.fence);
  return {
    db,
    [Symbol.asyncDispose]: async () => {
      await db.destroy();
      await lead.release();
      await made[Symbol.asyncDispose]();
    },
  };
}

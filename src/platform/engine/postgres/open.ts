import { HandleEmptyInListsPlugin, Kysely, PostgresDialect, replaceWithNoncontingentExpression } from 'kysely';
import type { Client } from 'pg';
import { FurrowError } from '../../error.ts';
import { count } from '../counted.ts';
import { type Fence, OneSession, type SessionWatch } from './one-session.ts';
import type { PostgresPlace } from './place.ts';
import { drop, openSession, several } from './session.ts';
import { explained } from './trouble.ts';

/** Names of triggers, of identities and of `create or replace trigger`. */
const OLDEST = 14;

/** A store on PostgreSQL, over one connection that is opened when it is first needed. With a fence, only the leader of its epoch can write. */
export function openPostgres<Tables>(place: PostgresPlace, fence?: Fence, watch?: SessionWatch): Kysely<Tables> {
  const pool = new OneSession(place, { fence, watch });
  // SQLite takes an empty list.
  const lists = new HandleEmptyInListsPlugin({ strategy: replaceWithNoncontingentExpression });
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }), plugins: [lists] });
  // Only the leader writes, and it has this one connection.
  count(db, { own: pool.counts, others: () => 0 });
  return db;
}

/** Asks the database something over a connection of its own. */
export async function ask<T>(place: PostgresPlace, act: (session: Client) => Promise<T>, answerMs?: number): Promise<T> {
  try {
    const session = await openSession(place, () => {}, answerMs);
    try {
      return await act(session);
    } finally {
      await session.end().catch(() => drop(session));
    }
  } catch (error) {
    throw explained(error, place.name);
  }
}

/** True when a farm has been in this schema. */
export const isMade = (place: PostgresPlace): Promise<boolean> =>
  ask(
    place,
    async (session) => (await session.query<{ there: boolean }>(`select to_regclass('meta') is not null as there`)).rows[0]!.there,
  );

/** Gives the schema another name, and answers it: nothing of it is lost, and a new store can be made at the place. */
export const renameAside = (place: PostgresPlace): Promise<string> =>
  ask(place, async (session) => {
    const aside = `${place.schema.slice(0, 47)}_left_${Date.now().toString(36)}`;
    await session.query(`alter schema ${place.schema} rename to ${aside}`);
    return aside;
  });

/** Makes the schema, and in it what a store on PostgreSQL has beside its tables. */
export async function prepare(place: PostgresPlace): Promise<void> {
  await ask(place, async (session) => {
    const { rows } = await session.query<{ version: string }>(`select current_setting('server_version_num') as version`);
    const major = Math.floor(Number(rows[0]!.version) / 10_000);
    if (major < OLDEST)
      throw new FurrowError('STORE_REFUSED', `the store's database ${place.name} is PostgreSQL ${major}`, {
        hint: `use PostgreSQL ${OLDEST} or later`,
      });
    const there = await session.query<{ there: boolean }>(`select to_regclass('store_fence') is not null as there`);
    if (there.rows[0]!.there) return;
    await several(session, `begin; ${MADE(place.schema).join('; ')}; commit`);
  });
}

const MADE = (schema: string): readonly string[] => [
  `select pg_advisory_xact_lock(hashtext('${schema}'))`,
  `create schema if not exists ${schema}`,
  `create or replace function ${schema}.furrow_next_id(of text) returns bigint language plpgsql as $$ declare free bigint; begin
     execute format('select coalesce(max(id), 0) + 1 from %I', of) into free;
     return free;
   end $$`,
  `create table if not exists ${schema}.store_leader (epoch bigint not null, holder text not null, place text not null, until bigint not null)`,
  `create table if not exists ${schema}.store_fence (epoch bigint not null, n bigint not null)`,
  `insert into ${schema}.store_leader select 0, '', '', 0 where not exists (select 1 from ${schema}.store_leader)`,
  `insert into ${schema}.store_fence select 0, 0 where not exists (select 1 from ${schema}.store_fence)`,
];

import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, openOnPostgres, openStore } from '../journal/store.ts';
import type { Candidate, Lead, Leader } from '../platform/engine/postgres/lead.ts';
import type { SessionWatch } from '../platform/engine/postgres/one-session.ts';
import { type PostgresPlace, postgresPlace, schemaOf, secretsOf } from '../platform/engine/postgres/place.ts';
import { FurrowError } from '../platform/error.ts';
import { type Identity, writeFarmFile } from '../platform/farm-file.ts';
import type { Repo } from '../platform/git/run.ts';
import { placesOf } from '../platform/places.ts';
import { keepValues } from '../platform/redact.ts';

/** Where the store of a farm is. */
export interface StorePlace {
  /** `undefined`: in a file of this repository. */
  readonly postgres: PostgresPlace | undefined;
  /** A farm has kept its store there. */
  readonly there: boolean;
}

/** A short password is part of too many words to be hidden in them. It is in no text of ours anyhow. */
const SHORTEST = 6;

/**
 * Finds the store of a farm. What the farm has is never left aside for what the person set since: a farm that went on with another store
 * would do its work again.
 */
export async function storePlace({ root }: Pick<Repo, 'root'>, { file }: Identity, url: string | undefined): Promise<StorePlace> {
  const { store } = placesOf(root);
  if (url === undefined) {
    if (file.postgres !== undefined)
      throw elsewhere(`this farm's store is on PostgreSQL, at ${file.postgres}, and no URL of it is set`, SET);
    return { postgres: undefined, there: existsSync(store) };
  }
  keepValues(secretsOf(url).filter((one) => one.length >= SHORTEST));
  const postgres = postgresPlace(url, schemaOf(basename(root), file.id));
  if (file.postgres === undefined && existsSync(store))
    throw elsewhere(`FURROW_STORE or your config.yaml names ${postgres.name}, and this farm's store is the file ${store}`, MOVE);
  const { isMade } = await import('../platform/engine/postgres/open.ts');
  const there = await patiently(() => isMade(postgres));
  if (!there && file.postgres !== undefined)
    throw new FurrowError('STORE_GONE', `there is no store of this farm at ${postgres.name}; it was at ${file.postgres}`, {
      hint: 'set FURROW_STORE to where it is; if it is lost: furrow doctor --fix makes a new one from the refs',
    });
  return { postgres, there };
}

const SET = 'FURROW_STORE=postgres://… with the same command, or store: in your own config.yaml';
const MOVE = 'furrow store move moves it there; without FURROW_STORE the farm goes on with its file';
const elsewhere = (text: string, hint: string) => new FurrowError('STORE_ELSEWHERE', text, { hint });

/** The store of a daemon, open. */
export interface OpenStore {
  readonly db: Db;
  /** Says what becomes of the database from now on. A store in a file has nothing to say. */
  follow(watch: SessionWatch): void;
  /** The store is closed: another daemon may lead at once. */
  release(): Promise<void>;
}

/** The lease of a daemon that leads already, and what it heard of it since. */
export interface Held {
  readonly lead: Lead;
  readonly watch: LaterWatch;
}

interface OpenOrder {
  readonly key: string;
  readonly held: Held | undefined;
}

/** Opens it; on PostgreSQL as its leader, after the farm's file names the place. */
export async function openFarmStore(
  repo: Repo,
  identity: Identity,
  { postgres }: StorePlace,
  { key, held }: OpenOrder,
): Promise<OpenStore> {
  if (!postgres) return { db: await openStore(placesOf(repo.root).store), follow() {}, release: async () => {} };
  const { prepare } = await import('../platform/engine/postgres/open.ts');
  if (identity.before?.postgres !== postgres.name)
    await writeFarmFile(repo, { ...(identity.before ?? identity.file), postgres: postgres.name });
  await prepare(postgres);
  const { lead, watch } = held ?? (await hold(repo, postgres, key));
  try {
    const db = await openOnPostgres(postgres, lead.fence, watch);
    return { db, follow: watch.follow, release: lead.release };
  } catch (error) {
    await lead.release();
    throw error;
  }
}

/** A database that is just starting, or a machine with too much to do, is asked again for so long. */
const START_MS = 5000;
const AGAIN_MS = 250;

async function patiently<T>(act: () => Promise<T>): Promise<T> {
  for (const until = performance.now() + START_MS; ; await sleep(AGAIN_MS)) {
    const found = await act().then(
      (value) => ({ value }),
      (error: Error & { code?: string }) => {
        if (error.code !== 'STORE_AWAY' || performance.now() > until) throw error;
      },
    );
    if (found) return found.value;
  }
}

/** Leads the farm, or says who does. */
export async function hold(repo: Repo, postgres: PostgresPlace, key: string): Promise<Held> {
  const { takeLead } = await import('../platform/engine/postgres/lead.ts');
  const watch = laterWatch();
  const lead = await patiently(() => takeLead(postgres, selfAt(repo, key, true), watch.over));
  if (!('fence' in lead)) throw led(lead);
  return { lead, watch };
}

/** This process. `alone`: it has the lock of the git folder, so the daemon before it is gone. */
export const selfAt = (repo: Repo, key: string, alone: boolean): Candidate => ({
  holder: `the daemon ${process.pid} on ${hostname()}, in ${repo.root}`,
  place: `${hostname()} ${key}`,
  alone,
});

export interface LaterWatch extends SessionWatch {
  follow(watch: SessionWatch): void;
}

/** Keeps what is heard before somebody listens. */
export function laterWatch(): LaterWatch {
  let watch: SessionWatch | undefined;
  const early: ((to: SessionWatch) => void)[] = [];
  const tell = (what: (to: SessionWatch) => void) => (watch ? what(watch) : void early.push(what));
  return {
    away: (error) => tell((to) => to.away(error)),
    back: () => tell((to) => to.back()),
    over: (error) => tell((to) => to.over(error)),
    follow(next) {
      watch = next;
      for (const what of early.splice(0)) what(next);
    },
  };
}

const led = ({ holder, leftMs }: Leader): FurrowError =>
  new FurrowError(
    'LED_ELSEWHERE',
    `this farm is led by ${holder}; its lease lasts for ${Math.ceil(leftMs / 1000)} s more, and is renewed`,
    {
      hint: 'furrow leader --standby waits and takes over when it ends',
    },
  );

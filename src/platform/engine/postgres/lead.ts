import type { Client } from 'pg';
import type { Fence } from './one-session.ts';
import { ask } from './open.ts';
import type { PostgresPlace } from './place.ts';
import { drop, openSession } from './session.ts';
import { replaced } from './trouble.ts';

/** A leader that is not heard of for so long may be replaced. */
export const LEASE_MS = 5000;
/** An answer later than this is of no use. The end of another's transaction, which the server gives 3 s, is waited for. */
const ANSWER_MS = 4500;

/** On the clock of the database, the same for all that ask. */
const NOW = '(extract(epoch from clock_timestamp()) * 1000)::bigint';

/** The daemon that leads a farm. */
export interface Leader {
  /** Its machine and process, for people. */
  readonly holder: string;
  /** The repository and the machine. */
  readonly place: string;
  readonly epoch: number;
  /** The time left of its lease; zero or less: anybody may lead. */
  readonly leftMs: number;
}

export interface Candidate extends Pick<Leader, 'holder' | 'place'> {
  /** Has the lock of the repository at its place, which proves that the daemon before it there is gone: its lease need not end by time. */
  readonly alone: boolean;
}

/** A lease that is renewed until it is given back, or lost. */
export interface Lead {
  readonly fence: Fence;
  /** Gives it back, so that the next daemon need not wait for its end. */
  release(): Promise<void>;
}

const leaderOf = async (session: Client, how = ''): Promise<Leader> =>
  (await session.query<Leader>(`select holder, place, epoch, until - ${NOW} as "leftMs" from store_leader ${how}`)).rows[0]!;

export const currentLeader = (place: PostgresPlace): Promise<Leader> => ask(place, leaderOf, ANSWER_MS);

/**
 * Takes a lease whose time is over, or that of a daemon at the same place which is gone. Otherwise the answer is who leads. From then on
 * no transaction of the one before can be committed.
 */
export async function takeLead(place: PostgresPlace, self: Candidate, onLost: (error: Error) => void): Promise<Lead | Leader> {
  const taken = await ask(place, (session) => take(session, self), ANSWER_MS);
  return 'n' in taken ? keep(place, taken, onLost) : taken;
}

async function take(session: Client, self: Candidate): Promise<Fence | Leader> {
  await session.query('begin');
  const now = await leaderOf(session, 'for update');
  if (now.leftMs > 0 && !(self.alone && now.place === self.place)) {
    await session.query('rollback');
    return now;
  }
  // Waits for the end of a transaction that the one before has open.
  const { rows } = await session.query<Fence>('update store_fence set epoch = epoch + 1 returning epoch, n');
  const fence = rows[0]!;
  await session.query(`update store_leader set epoch = $1, holder = $2, place = $3, until = ${NOW} + ${LEASE_MS}`, [
    fence.epoch,
    self.holder,
    self.place,
  ]);
  await session.query('commit');
  return { ...fence };
}

/** Renews it over a connection of its own: a long transaction must not hold that up. A database that is away is asked again and again. */
function keep(place: PostgresPlace, fence: Fence, onLost: (error: Error) => void): Lead {
  let session: Client | undefined;
  let busy: Promise<unknown> = Promise.resolve();
  let over = false;
  const lose = () => {
    if (session) drop(session);
    session = undefined;
  };
  const ready = async () => {
    session ??= await openSession(place, lose, ANSWER_MS);
    return session;
  };
  const set = async (until: string) => {
    const { rowCount } = await (await ready()).query(`update store_leader set until = ${until} where epoch = $1`, [fence.epoch]);
    return rowCount === 1;
  };
  const renew = async () => {
    if (over) return;
    const held = await set(`${NOW} + ${LEASE_MS}`).catch(lose);
    if (held === false && !over) {
      end();
      onLost(replaced(place.name));
    }
  };
  let underWay = false;
  const timer = setInterval(() => {
    if (underWay) return;
    underWay = true;
    busy = renew().finally(() => {
      underWay = false;
    });
  }, LEASE_MS / 3).unref();
  const end = () => {
    over = true;
    clearInterval(timer);
  };
  return {
    fence,
    async release() {
      if (over) return lose();
      end();
      await busy;
      await set('0').catch(() => {});
      lose();
    },
  };
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type { Client, QueryResult } from 'pg';
import { backoff } from '../../backoff.ts';
import { writes } from '../counted.ts';
import type { PostgresPlace } from './place.ts';
import { drop, openSession, several } from './session.ts';
import { encoded } from './text.ts';
import { away, explained, isAway, replaced, wentBack } from './trouble.ts';

/**
 * The proof that a daemon leads: its epoch, and the number of its transactions that were committed. Every transaction counts up a row of
 * this epoch, so one of an earlier leader finds no row; and after a lost connection the row tells if the last commit arrived.
 */
export interface Fence {
  readonly epoch: number;
  n: number;
}

/** Called when the database stops to answer, answers again, or says that this daemon leads no more. */
export interface SessionWatch {
  away(error: Error): void;
  back(): void;
  over(error: Error): void;
}

interface Options {
  readonly fence?: Fence | undefined;
  readonly watch?: SessionWatch | undefined;
}

const FIRST_MS = 250;
const LONGEST_MS = 5000;

/**
 * A pool of one connection: one statement or one transaction at a time, in the order in which they were asked for, as in a file. A lost
 * connection is opened again, at most every 5 s: what only reads is asked again, a transaction that was open has changed nothing, and one
 * that was just being committed is asked about before anything else.
 */
export class OneSession implements PostgresPool {
  readonly options = {};
  /** Writes by table, for what is kept of them. */
  readonly counts = new Map<string, number>();
  readonly #place: PostgresPlace;
  readonly #fence: Fence | undefined;
  readonly #watch: SessionWatch | undefined;
  readonly #waiting: { go(): void; fail(error: Error): void }[] = [];
  readonly #closing = new AbortController();
  #taken = false;
  #session: Client | undefined;
  /** A transaction is open. `lost`: its connection has ended. */
  #transaction: 'open' | 'lost' | undefined;
  /** It is not known yet if the last commit arrived. */
  #doubt: Error | undefined;
  #failures = 0;
  #notBefore = 0;
  /** The answer to the last try to connect. */
  #refusal: unknown;

  constructor(place: PostgresPlace, { fence, watch }: Options) {
    this.#place = place;
    this.#fence = fence;
    this.#watch = watch;
  }

  async connect(): Promise<PostgresPoolClient> {
    if (this.#doubt) throw this.#doubt;
    // Whoever ends hands it on.
    if (this.#taken) await new Promise<void>((go, fail) => this.#waiting.push({ go, fail }));
    this.#taken = true;
    return this.#client;
  }

  async end(): Promise<void> {
    this.#closing.abort();
    const session = this.#session;
    this.#session = undefined;
    if (!session) return;
    session.removeAllListeners('end');
    await session.end().catch(() => {});
  }

  /** The same for all callers: Kysely keeps what it knows of a connection by this object. */
  readonly #client = {
    query: <R>(text: string, parameters: readonly unknown[]) => this.#query(text, parameters) as Promise<{ rows: R[] }>,
    release: () => {
      const next = this.#waiting.shift();
      this.#taken = next !== undefined;
      next?.go();
    },
  } as PostgresPoolClient;

  async #query(text: string, parameters: readonly unknown[]): Promise<QueryResult> {
    try {
      return await this.#run(text, parameters);
    } catch (thrown) {
      const error = explained(thrown, this.#place.name) as Error & { code?: string };
      if (error.code === 'STORE_REPLACED' || error.code === 'STORE_WENT_BACK') this.#watch?.over(error);
      throw error;
    } finally {
      const table = writes(text);
      if (table) this.#count(table);
    }
  }

  #count(table: string): void {
    this.counts.set(table, (this.counts.get(table) ?? 0) + 1);
  }

  async #run(text: string, parameters: readonly unknown[]): Promise<QueryResult> {
    if (text === 'begin') return this.#begin();
    if (text === 'commit') return this.#commit();
    if (text === 'rollback') return this.#rollback();
    const values = parameters.map((one) => (typeof one === 'string' ? encoded(one) : one));
    if (this.#transaction) return this.#within(text, values);
    if (/^\s*select\b/i.test(text)) return this.#again((session) => session.query(text, values));
    await this.#begin();
    try {
      const result = await this.#within(text, values);
      await this.#commit();
      return result;
    } catch (error) {
      await this.#rollback();
      throw error;
    }
  }

  /** Nothing was changed yet, so a connection that has ended meanwhile costs another try. */
  async #again<T>(act: (session: Client) => Promise<T>): Promise<T> {
    const before = this.#session;
    try {
      return await act(await this.#ready());
    } catch (error) {
      if (!isAway(error)) throw error;
      this.#lose();
      if (!before) throw error;
      return await act(await this.#ready());
    }
  }

  async #begin(): Promise<QueryResult> {
    const fence = this.#fence;
    if (!fence) {
      const begun = await this.#again((session) => session.query('begin'));
      this.#transaction = 'open';
      return begun;
    }
    const text = `begin; update store_fence set n = n + 1 where epoch = ${fence.epoch} returning n`;
    const [begun, counted] = await this.#again((session) => several(session, text));
    this.#transaction = 'open';
    const n = (counted!.rows[0] as { n: number } | undefined)?.n;
    if (n === fence.n + 1) return begun!;
    await this.#rollback();
    throw n === undefined ? replaced(this.#place.name) : wentBack(this.#place.name);
  }

  async #within(text: string, values: unknown[]): Promise<QueryResult> {
    if (this.#transaction === 'lost' || !this.#session) throw away(this.#place.name, 'the connection was lost within a transaction');
    try {
      return await this.#session.query(text, values);
    } catch (error) {
      if (isAway(error)) this.#lose();
      throw error;
    }
  }

  async #commit(): Promise<QueryResult> {
    const session = this.#session;
    try {
      if (this.#transaction === 'lost' || !session) throw away(this.#place.name, 'the connection was lost within a transaction');
      const done = await session.query('commit').catch((error: Error) => {
        if (!isAway(error)) throw error;
        this.#lose();
        return this.#settle(error);
      });
      if (this.#fence && done.command === 'COMMIT') this.#fence.n++;
      return done;
    } finally {
      this.#transaction = undefined;
    }
  }

  async #rollback(): Promise<QueryResult> {
    const session = this.#transaction === 'open' ? this.#session : undefined;
    this.#transaction = undefined;
    // With the connection, the server has rolled back.
    const done = { command: 'ROLLBACK', rows: [] as unknown[] } as QueryResult;
    await session?.query('rollback').catch(() => this.#lose());
    return done;
  }

  /** Asks until the answer is known if the last commit arrived. Others are told meanwhile that the database is away. */
  async #settle(error: Error): Promise<QueryResult> {
    const fence = this.#fence;
    if (!fence) throw away(this.#place.name, `${error.message}; it is not known if the last change was stored`, error);
    this.#doubt = away(this.#place.name, error.message, error);
    for (const { fail } of this.#waiting.splice(0)) fail(this.#doubt);
    try {
      for (let count = 1; ; count++) {
        const found = await this.#committed(fence).catch((thrown: Error) => {
          if (!isAway(thrown) || this.#closing.signal.aborted) throw thrown;
          this.#lose();
        });
        if (found) return { command: 'COMMIT', rows: [] as unknown[] } as QueryResult;
        if (found === false) throw this.#doubt;
        await sleep(backoff(count, FIRST_MS, LONGEST_MS), undefined, { signal: this.#closing.signal }).catch(() => {});
      }
    } finally {
      this.#doubt = undefined;
    }
  }

  async #committed({ epoch, n }: Fence): Promise<boolean> {
    this.#notBefore = 0;
    const session = await this.#ready();
    // Waits for the lock of a transaction that the server has not ended yet.
    const { rows } = await session.query<{ n: number }>('select n from store_fence where epoch = $1 for update', [epoch]);
    const now = rows[0]?.n;
    if (now === undefined) throw replaced(this.#place.name);
    if (now < n) throw wentBack(this.#place.name);
    return now > n;
  }

  async #ready(): Promise<Client> {
    if (this.#session) return this.#session;
    if (this.#closing.signal.aborted) throw away(this.#place.name, 'this program ends');
    if (performance.now() < this.#notBefore) throw this.#refusal;
    try {
      const session: Client = await openSession(this.#place, () => {
        if (this.#session === session) this.#lose();
      });
      this.#session = session;
    } catch (error) {
      this.#failures++;
      this.#refusal = error;
      this.#notBefore = performance.now() + backoff(this.#failures, FIRST_MS, LONGEST_MS);
      if (this.#failures === 1) this.#watch?.away(explained(error, this.#place.name) as Error);
      throw error;
    }
    if (this.#failures > 0) this.#watch?.back();
    this.#failures = 0;
    return this.#session;
  }

  #lose(): void {
    const session = this.#session;
    this.#session = undefined;
    if (this.#transaction) this.#transaction = 'lost';
    // What was counted in a transaction that was open is not so.
    this.#count('*');
    if (session) drop(session);
  }
}

import { setTimeout as pause } from 'node:timers/promises';
import { findMessage, type Message, onTheirWay } from '../../../agents/message/read.ts';
import { endAsk, markCrossed, markDead } from '../../../agents/message/store.ts';
import { receiverOf } from '../../../agents/other-farms/allow.ts';
import { farName } from '../../../agents/other-farms/name.ts';
import { type CrossingStep, nextCrossing, refusedBy } from '../../../agents/other-farms/plan.ts';
import { runningFarms } from '../../../agents/other-farms/registry.ts';
import { type Client, connect } from '../../../api/client.ts';
import type { Db, Tx } from '../../../journal/store.ts';
import { backoff } from '../../../platform/backoff.ts';
import { FurrowError } from '../../../platform/error.ts';
import { limiter } from '../../../platform/limit.ts';
import { wakeAt } from '../../farm/alarm.ts';
import type { Farm } from '../../farm/farm.ts';

/** As long as something is on its way, the list of running farms is looked at so often. */
const LOOK_MS = 5_000;
const LONGEST_REST_MS = 60_000;
/** A command waits for another farm no longer than this; the message goes on by itself. */
const PATIENCE_MS = 5_000;
/** The other daemon ends, hangs, or has no room: the same again may be taken later. */
const PASSING: ReadonlySet<string> = new Set(['TRY_AGAIN', 'RESTARTS', 'DAEMON_UNREACHABLE', 'NO_FARM']);

const isPassing = (error: unknown) => !(error instanceof FurrowError) || PASSING.has(error.code);

/** The fate of a message so far: refused, or the reason why its receiver gets it later, if there is one. */
type Carried = { readonly refused: FurrowError } | { readonly waits: string | null };

/**
 * Carries messages to the daemons of other farms, for each farm in order and one at a time. The store says what is on its way; what is
 * remembered here only saves time.
 */
export class Carrier {
  readonly #farm: Farm;
  readonly #turns = new Map<string, ReturnType<typeof limiter>>();
  readonly #busy = new Map<string, { again: boolean }>();
  readonly #missing = new Map<string, number>();
  readonly #rests = new Map<string, { readonly failures: number; readonly until: number }>();
  /** Messages whose sender waits for their fate, and what it is. */
  readonly #watched = new Map<number, Carried | undefined>();

  constructor(farm: Farm) {
    this.#farm = farm;
  }

  /** Looks at everything that is on its way, without waiting for other farms. */
  async follow(): Promise<void> {
    const { db, clock, log, post } = this.#farm;
    const names = new Set((await onTheirWay(db)).map((row) => farName(row.receiver)!.farm));
    for (const name of this.#missing.keys()) if (!names.has(name)) this.#missing.delete(name);
    for (const name of names) {
      const busy = this.#busy.get(name);
      if (busy) busy.again = true;
      else if ((this.#rests.get(name)?.until ?? 0) <= clock.awake())
        void this.#turn(name).catch((error: Error) => log.warn({ farm: name, error: error.message }, 'messages to another farm failed'));
    }
    if (names.size > 0) wakeAt(post, clock.awake() + LOOK_MS);
  }

  /** Carries these now, and tells what became of them. What is late goes on by itself. */
  async carry(rows: readonly { readonly id: number; readonly receiver: string }[]): Promise<Carried[]> {
    for (const { id } of rows) this.#watched.set(id, undefined);
    const names = new Set(rows.map(({ receiver }) => farName(receiver)!.farm));
    const ending = new AbortController();
    const late = pause(PATIENCE_MS, undefined, { signal: ending.signal }).catch(() => {});
    await Promise.race([Promise.all([...names].map((name) => this.#turn(name))), late]);
    ending.abort();
    return Promise.all(rows.map((row) => this.#fateOf(row)));
  }

  async #fateOf({ id, receiver }: { readonly id: number; readonly receiver: string }): Promise<Carried> {
    const carried = this.#watched.get(id);
    this.#watched.delete(id);
    if (carried) return carried;
    // The same message again, sent with its key, may have had its fate before.
    const row = await findMessage(this.#farm.db, id);
    if (row?.state === 'dead') return { refused: new FurrowError('REFUSED', row.reason ?? '', { hint: `furrow messages --thread ${id}` }) };
    return { waits: row?.state === 'pending' ? `${farName(receiver)!.farm} has not taken it yet; it is tried again` : null };
  }

  async #turn(name: string): Promise<void> {
    const turn = this.#turns.get(name) ?? limiter(1);
    this.#turns.set(name, turn);
    await turn(async () => {
      const busy = { again: false };
      this.#busy.set(name, busy);
      await this.#carryAll(name).finally(() => this.#busy.delete(name));
      if (busy.again) this.#farm.post.wake();
    });
  }

  async #carryAll(name: string): Promise<void> {
    const { db, clock, config, log } = this.#farm;
    const rows = await onTheirWay(db, name);
    if (rows.length === 0) return;
    const farms = await runningFarms();
    const missing = this.#missingFor(
      name,
      farms.some((one) => one.name === name),
    );
    let client: Client | undefined;
    const reach = async () => (client ??= await connect(receiverOf(farms, config.circle, name).repo, { start: false, trust: false }));
    try {
      for (const row of rows) {
        const until = row.kind === 'reply' ? ((await questionOf(db, row))?.deadline ?? 0) : null;
        const at = { kind: row.kind, state: row.state === 'handed' ? 'handed' : 'pending', open: row.ask === 'open', until } as const;
        await this.#take(row, nextCrossing(at, name, missing, clock.now()), reach);
      }
      this.#rests.delete(name);
    } catch (error) {
      // The ones behind it wait, too, so that the order stays.
      if (!isPassing(error)) throw error;
      if (!(error instanceof FurrowError)) log.warn({ farm: name, error: (error as Error).message }, 'a message to another farm failed');
      const failures = (this.#rests.get(name)?.failures ?? 0) + 1;
      const rest = backoff(failures, 1_000, LONGEST_REST_MS);
      this.#rests.set(name, { failures, until: clock.awake() + rest });
      wakeAt(this.#farm.post, clock.awake() + rest);
    } finally {
      client?.close();
    }
  }

  /** For how long no farm of that name has been running; undefined: one is. */
  #missingFor(name: string, runs: boolean): number | undefined {
    const now = this.#farm.clock.awake();
    if (runs) this.#missing.delete(name);
    else if (!this.#missing.has(name)) this.#missing.set(name, now);
    return runs ? undefined : now - this.#missing.get(name)!;
  }

  async #take(row: Message, step: CrossingStep, reach: () => Promise<Client>): Promise<void> {
    const { db } = this.#farm;
    if (step.do === 'wait') return;
    if (step.do === 'end')
      return this.#store((tx, now) => close(tx, row, row.state === 'handed' ? 'unanswered' : 'dead', step.reason, now));
    if (step.do === 'settle') return this.#store((tx, now) => markCrossed(tx, row.id, true, now));
    try {
      const client = await reach();
      if (step.do === 'recall') {
        await client.call('receiveRecall', { key: row.far ?? '' });
        return await this.#store((tx, now) => markCrossed(tx, row.id, true, now));
      }
      const { waits, note } = await bring(client, db, row);
      if (this.#watched.has(row.id)) this.#watched.set(row.id, { waits });
      await this.#store(note);
    } catch (error) {
      if (isPassing(error)) throw error;
      await this.#refused(row, error as FurrowError);
    }
  }

  async #refused(row: Message, error: FurrowError): Promise<void> {
    const { farm, agent } = farName(row.receiver)!;
    if (row.state === 'handed') return this.#store((tx, now) => markCrossed(tx, row.id, true, now));
    // A command that waits for the answer gets it there, and not by a message as well.
    const watched = this.#watched.has(row.id);
    if (watched) this.#watched.set(row.id, { refused: error });
    return this.#store((tx, now) => close(tx, row, watched ? 'withdrawn' : 'dead', refusedBy(farm, agent, error.code), now));
  }

  async #store(work: (tx: Tx, now: number) => Promise<unknown>): Promise<void> {
    const { db, clock, post } = this.#farm;
    await db.transaction().execute((tx) => work(tx, clock.now()));
    post.wake();
  }
}

async function close(tx: Tx, row: Message, on: 'dead' | 'unanswered' | 'withdrawn', reason: string, now: number): Promise<void> {
  if (row.kind === 'ask') await endAsk(tx, row.id, { on }, reason, now);
  else await markDead(tx, row.id, reason, now);
  if (row.state === 'handed') await markCrossed(tx, row.id, true, now);
}

/** The answer of another farm, as it is to be stored, and why its agent gets the message only later. */
interface Brought {
  readonly waits: string | null;
  note(tx: Tx, now: number): Promise<unknown>;
}

/** Gives a message to the daemon of another farm. Given twice it is taken once: that farm knows its key. */
async function bring(client: Client, db: Db, row: Message): Promise<Brought> {
  const { sender, body: text, hops } = row;
  const to = farName(row.receiver)!.agent;
  if (row.kind === 'reply') return bringAnswer(client, row, await questionOf(db, row));
  const words = { sender, to, text, key: row.far ?? '', hops };
  const ask = row.kind === 'ask';
  const { waits } = ask ? await client.call('receiveAsk', { ...words, deadline: row.deadline ?? 0 }) : await client.call('receive', words);
  return { waits, note: (tx, now) => markCrossed(tx, row.id, !ask, now) };
}

/** The question of another farm that a message answers. */
async function questionOf(db: Db, { answers }: Message): Promise<Message | undefined> {
  return answers === null ? undefined : findMessage(db, answers);
}

async function bringAnswer(client: Client, row: Message, asked: Message | undefined): Promise<Brought> {
  const end = asked?.ask;
  const left = end === 'answered' || end === 'declined' || end === 'expired' || end === 'unanswered' || end === 'dead';
  const said = { sender: row.sender, text: row.body, hops: row.hops };
  const taken = asked?.far && left ? (await client.call('receiveAnswer', { ...said, key: asked.far, end })).taken : false;
  return {
    waits: null,
    note: (tx, now) => (taken ? markCrossed(tx, row.id, true, now) : markDead(tx, row.id, 'nobody waits for it any more', now)),
  };
}

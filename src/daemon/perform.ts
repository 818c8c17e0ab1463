import { type AnyAct, carryOut, GOES_ON, type Intent, intend, isOpen, openIntents } from '../journal/act.ts';
import { laterBy } from '../platform/clock.ts';
import { FurrowError } from '../platform/error.ts';
import { findAttempt } from '../work/attempt/store.ts';
import { type ActKey, keyOf } from './acts/keys.ts';
import type { ActKind, ArgsOf } from './acts/table.ts';
import { type AttemptOf, describeAct } from './describe-act.ts';
import type { Farm } from './farm/farm.ts';
import type { Performer } from './farm/performer.ts';

/** These run what the repository defines, or send something to where it says: never before the person has trusted it. */
const STARTS: ReadonlySet<ActKind> = new Set<ActKind>(['attempt.start', 'attempt.relaunch', 'check.run', 'landing.push', 'notice.post']);
/** Once they are done well, nothing else can begin: what they change is looked at with the next news. */
const LITTLE_NEWS: ReadonlySet<ActKind> = new Set<ActKind>(['board.write', 'landing.publish', 'notice.post', 'notice.tell']);
const NO_FAILURE = new Set(['STALE', 'CUT_SHORT', 'STOPPED', GOES_ON]);

/** One act that is being done. `kind` and `args` come from a call of `start`, or from an intent that a killed daemon left. */
interface Flight {
  readonly kind: ActKind;
  readonly key: string;
  readonly args: ArgsOf<ActKind>;
  /** Found open after a crash: the world is asked first. */
  readonly found?: Intent;
}

export const performer = (farm: Farm, acts: readonly AnyAct[]): Performer => new Performing(farm, acts);

class Performing implements Performer {
  readonly #farm: Farm;
  readonly #acts: ReadonlyMap<string, AnyAct>;
  readonly #flying = new Map<string, { readonly kind: ActKind; readonly done: Promise<void> }>();
  readonly #ending = new AbortController();
  /** Some of what a killed daemon had begun waits for the person's trust. */
  #held = false;

  constructor(farm: Farm, acts: readonly AnyAct[]) {
    this.#farm = farm;
    this.#acts = new Map(acts.map((act) => [act.kind, act]));
  }

  flying(key: ActKey): boolean {
    return this.#flying.has(key);
  }

  busy(key: ActKey): boolean {
    return this.#flying.has(key) || this.#farm.failing.rests(key);
  }

  failing(key: ActKey, times?: number): boolean {
    return this.#farm.failing.isFailing(key, times);
  }

  review(since: number): Promise<void> {
    return this.#farm.failing.review(since, (key) => this.#flying.has(key));
  }

  start<K extends ActKind>(kind: K, args: ArgsOf<K>): Promise<void> {
    const key = keyOf(kind, args);
    if (this.#waitsForTrust(kind) || this.#isStopped(kind, args)) return Promise.resolve();
    const known = this.#flying.get(key);
    if (known) return known.done;
    return this.busy(key) ? Promise.resolve() : this.#track({ kind, key, args });
  }

  async recover(first: readonly ActKind[]): Promise<void> {
    const intents = (await openIntents(this.#farm.db)).filter(({ key }) => !this.#flying.has(key));
    const ready = intents.filter(({ kind }) => !this.#waitsForTrust(kind as ActKind));
    this.#held = ready.length < intents.length;
    const open = ready.map((found) => {
      const flight = { kind: found.kind as ActKind, key: found.key, args: found.args as ArgsOf<ActKind>, found };
      return { kind: flight.kind, done: this.#track(flight) };
    });
    await Promise.all(open.filter(({ kind }) => first.includes(kind)).map(({ done }) => done));
  }

  async recoverHeld(): Promise<void> {
    if (this.#held && this.#farm.trust.now.yes) await this.recover([]);
  }

  #waitsForTrust(kind: ActKind): boolean {
    return STARTS.has(kind) && !this.#farm.trust.now.yes;
  }

  /** In a farm that a person stopped. Asked of the file system at each start, so that no act begins after the word was given. */
  #isStopped(kind: ActKind, args: ArgsOf<ActKind>): boolean {
    return WHILE_STOPPED[kind] === 'waits' && !('asked' in args) && this.#farm.stopped() !== undefined;
  }

  underWay(): readonly string[] {
    return [...this.#flying].filter(([, { kind }]) => WHILE_STOPPED[kind] === 'waits').map(([key]) => key);
  }

  async quiet(): Promise<void> {
    this.#ending.abort();
    while (this.#flying.size > 0) await Promise.allSettled([...this.#flying.values()].map(({ done }) => done));
  }

  #track(flight: Flight): Promise<void> {
    let well = false;
    const tracked = this.#fly(flight)
      .then((done) => {
        well = done;
      })
      .finally(() => {
        this.#flying.delete(flight.key);
        this.#farm.wake(well && LITTLE_NEWS.has(flight.kind) ? 'soon' : undefined);
      });
    this.#flying.set(flight.key, { kind: flight.kind, done: tracked });
    return tracked;
  }

  /** Answers whether it was done well. */
  async #fly({ kind, key, args, found }: Flight): Promise<boolean> {
    const { db, clock, troubles, failing } = this.#farm;
    const act = found && this.#isStopped(kind, args) ? onlyCompleted(this.#actNamed(kind)) : this.#actNamed(kind);
    let intent = found;
    for (let asked = found !== undefined; ; asked = true) {
      try {
        intent ??= await intend(db, act, key, args, clock.now());
        await carryOut(db, act, intent, asked, clock.now);
        // What could be stored now proves that there is room again.
        troubles.clear();
        await failing.worked(key);
        return true;
      } catch (thrown) {
        const error = thrown as Error;
        // Decided on rows that were old by then, or cut short by a crash: nothing failed, so nothing rests.
        if (error instanceof FurrowError && NO_FAILURE.has(error.code)) return false;
        const ms = await this.#rest({ kind, key, args }, error);
        // Not even its end could be stored, on a full disk: nobody else goes on with it, so this does.
        if (!intent || this.#ending.signal.aborted || !(await isOpen(db, intent).catch(() => true))) return false;
        await this.#pause(ms);
      }
    }
  }

  #actNamed(kind: string): AnyAct {
    const act = this.#acts.get(kind);
    if (!act) throw new Error(`no act is named ${kind}`);
    return act;
  }

  /** Tells of a failure, and answers how long the key rests. */
  async #rest({ kind, key, args }: Flight, error: Error): Promise<number> {
    const { clock, log, troubles, failing, wake } = this.#farm;
    const known = error instanceof FurrowError;
    log.warn({ act: kind, key, error: error.message, ...(!known && { stack: error.stack }) }, 'an act failed');
    if (/ENOSPC|no space left|disk is full/i.test(error.message)) troubles.set(key, error.message);
    const doing = await describeAct(kind, key, args, this.#attemptOf).catch(() => ({ key, what: kind, next: 'furrow doctor' }));
    const { ms } = await failing.failed(doing, error);
    laterBy(clock)(ms + 1, wake);
    return ms;
  }

  /** Ends with the daemon. */
  #pause(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = laterBy(this.#farm.clock)(ms, resolve);
    const end = () => {
      cancel();
      resolve();
    };
    if (this.#ending.signal.aborted) end();
    this.#ending.signal.addEventListener('abort', end, { once: true });
    return promise.finally(() => this.#ending.signal.removeEventListener('abort', end));
  }

  readonly #attemptOf: AttemptOf = (id) => findAttempt(this.#farm.db, id);
}

/** Closes what a killed daemon had begun in a farm that was stopped since: what the world shows as done is stored, and the rest is not done. */
function onlyCompleted(act: AnyAct): AnyAct {
  return {
    ...act,
    async run(args) {
      if (await act.begun?.(args)) return act.run(args);
      throw new FurrowError('STOPPED', 'the farm was stopped before it was done');
    },
  };
}

/**
 * The fate of each act in a farm that a person stopped. `waits`: it starts, lands, publishes or sends something, and is not begun.
 * `goes on`: it ends what ran, or writes down what happened. Every act, once: a new one does not compile before it is here.
 */
export const WHILE_STOPPED: Readonly<Record<ActKind, 'waits' | 'goes on'>> = {
  'attempt.start': 'waits',
  'attempt.end': 'goes on',
  'attempt.relaunch': 'waits',
  'board.write': 'goes on',
  'check.run': 'waits',
  'landing.land': 'waits',
  'landing.publish': 'waits',
  'landing.push': 'waits',
  'notice.post': 'waits',
  'notice.tell': 'waits',
  'race.judge': 'waits',
  'worktree.dispose': 'goes on',
};

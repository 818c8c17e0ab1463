import { join } from 'node:path';
import type { Repo } from '../../../src/platform/git/run.ts';
import { placesOf } from '../../../src/platform/places.ts';
import type { CheckRun, CheckSpec } from '../../../src/queue/snapshot.ts';
import { runCheck } from '../../../src/repo/merge/check.ts';

export interface SlotOrder {
  readonly tree: string;
  readonly commit: string;
  readonly check: CheckSpec;
}

interface Running extends SlotOrder {
  readonly slot: number;
  readonly abort: AbortController;
  /** `undefined`: it was cancelled. */
  readonly answer: Promise<Omit<CheckRun, 'id'> | undefined>;
}

/** So many slots with real checks in them. */
export class Slots {
  readonly count: number;
  readonly #repo: Repo;
  readonly #env: Readonly<Record<string, string>>;
  readonly #runCheck: typeof runCheck;
  #running: Running[] = [];

  constructor(repo: Repo, count: number, env: Readonly<Record<string, string>>, run = runCheck) {
    this.#repo = repo;
    this.count = count;
    this.#env = env;
    this.#runCheck = run;
  }

  get running(): readonly { tree: string; check: string }[] {
    return this.#running.map(({ tree, check }) => ({ tree, check: check.id }));
  }

  start(order: SlotOrder): void {
    const slot = Array.from({ length: this.count }, (_, n) => n + 1).find((n) => this.#running.every((run) => run.slot !== n));
    if (slot === undefined) throw new Error(`a check too many for ${this.count} slots`);
    const abort = new AbortController();
    this.#running.push({ ...order, slot, abort, answer: this.#check(slot, order, abort.signal) });
  }

  async #check(slot: number, { tree, commit, check }: SlotOrder, signal: AbortSignal): Promise<Omit<CheckRun, 'id'> | undefined> {
    const places = placesOf(this.#repo.root);
    const where = { path: join(places.slots, String(slot)), marker: `${this.#repo.root}-slot-${slot}`, jail: [] };
    const log = join(places.logs, `slot-${slot}.log`);
    const order = { commit, tree, check, log, caches: [], env: { ...this.#env, FURROW_RUN: where.marker } };
    const done = await this.#runCheck(this.#repo, where, order, signal).catch((error: unknown) => {
      if (signal.aborted) return undefined;
      throw error;
    });
    return done && { tree, check: check.id, outcome: done.outcome };
  }

  /** Resolves when nothing of it is left. */
  async cancel(tree: string): Promise<void> {
    const gone = this.#running.filter((run) => run.tree === tree);
    this.#running = this.#running.filter((run) => run.tree !== tree);
    for (const run of gone) run.abort.abort();
    await Promise.all(gone.map((run) => run.answer));
  }

  /** As after a crash: what ran is ended, and has said nothing. */
  async abandon(): Promise<void> {
    for (const { tree } of [...this.#running]) await this.cancel(tree);
  }

  /** The answers that are there already. */
  async ready(): Promise<Omit<CheckRun, 'id'>[]> {
    const none = Promise.resolve('none' as const);
    const answers = await Promise.all(this.#running.map(async (run) => ({ run, answer: await Promise.race([run.answer, none]) })));
    const found = answers.flatMap(({ run, answer }) => (answer && answer !== 'none' ? [{ run, answer }] : []));
    this.#running = this.#running.filter((run) => !found.some((one) => one.run === run));
    return found.map(({ answer }) => answer);
  }

  /** The next answer. */
  async next(): Promise<Omit<CheckRun, 'id'>> {
    const { run, answer } = await Promise.race(this.#running.map(async (one) => ({ run: one, answer: await one.answer })));
    this.#running = this.#running.filter((one) => one !== run);
    if (!answer) throw new Error('a check that was cancelled is awaited');
    return answer;
  }
}

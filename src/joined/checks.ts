import { existsSync } from 'node:fs';
import { open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { checkRun } from '../daemon/acts/check-run/host.ts';
import { type CheckOrder, OUTPUT_BYTES, type Said } from '../hosts/link/frames.ts';
import { FurrowError } from '../platform/error.ts';
import type { Bench } from './bench.ts';

/** One check that the leader asked for; it is kept until the leader has taken its result. */
interface Job {
  readonly abort: AbortController;
  readonly log: string;
  /** The part of the log that was sent, in bytes. */
  sent: number;
  /** Its end, once there is one. */
  end: Said | undefined;
  ended: Promise<void>;
}

const TAIL_MS = 250;

export interface ChecksOrder {
  readonly bench: Bench;
  readonly class: string;
  /** Gets the objects of a commit. */
  readonly fetch: (order: CheckOrder, slot: string, signal: AbortSignal) => Promise<void>;
  /** Says something to the leader, if the line is open. */
  readonly say: (said: Said) => void;
}

/** Runs checks for the leader, whether or not its line is open, and tells of each until the leader has taken the result. */
export class Checks {
  readonly #order: ChecksOrder;
  readonly #jobs = new Map<string, Job>();
  readonly #slots = new Set<string>();
  readonly #run: ReturnType<typeof checkRun>;
  readonly #aborts = new Map<string, AbortSignal>();
  readonly #tailing: NodeJS.Timeout;

  constructor(order: ChecksOrder) {
    this.#order = order;
    this.#run = checkRun(order.bench.farm, (key) => this.#aborts.get(key) ?? new AbortController().signal);
    this.#tailing = setInterval(() => void this.#tail(), TAIL_MS);
  }

  get running(): string[] {
    return [...this.#jobs.keys()];
  }

  /** The line is open again: `have` is how much of each log the leader has. */
  again(have: Readonly<Record<string, number>>): void {
    for (const [id, job] of this.#jobs) {
      job.sent = have[id] ?? 0;
      if (job.end) void this.#finish(id, job);
    }
  }

  begin(order: CheckOrder): void {
    if (this.#jobs.has(order.id)) return;
    const { farm } = this.#order.bench;
    const job: Job = {
      abort: new AbortController(),
      log: join(farm.places.logs, 'checks', `${order.id}.log`),
      sent: 0,
      end: undefined,
      ended: Promise.resolve(),
    };
    this.#jobs.set(order.id, job);
    job.ended = this.#carryOut(order, job)
      .catch((error: FurrowError) => {
        const cut = job.abort.signal.aborted || error.code === 'CUT_SHORT';
        job.end = {
          say: 'failed',
          id: order.id,
          code: cut ? 'CUT_SHORT' : (error.code ?? 'ERROR'),
          message: String(error.message).slice(0, 4000),
        };
        if (!(error instanceof FurrowError)) farm.log.error({ error: (error as Error).stack }, 'a check could not be run');
      })
      .then(() => this.#finish(order.id, job));
  }

  cancel(id: string): void {
    this.#jobs.get(id)?.abort.abort();
  }

  /** The leader has its result, or wants none. */
  forget(id: string): void {
    const job = this.#jobs.get(id);
    if (!job) return;
    job.abort.abort();
    this.#jobs.delete(id);
    void job.ended.then(() => rm(job.log, { force: true }));
  }

  async close(): Promise<void> {
    clearInterval(this.#tailing);
    for (const id of this.running) this.cancel(id);
    await Promise.all([...this.#jobs.values()].map(({ ended }) => ended));
  }

  async #carryOut(order: CheckOrder, job: Job): Promise<void> {
    const { bench, fetch, say } = this.#order;
    const slot = this.#freeSlot();
    const { id, tree, commit, check } = order;
    const key = `${tree}:${check.id}`;
    this.#aborts.set(key, job.abort.signal);
    const telling = setInterval(() => {
      if (!bench.farm.commandsRunning.has(job.log)) return;
      clearInterval(telling);
      say({ say: 'started', id });
    }, TAIL_MS);
    try {
      await fetch(order, slot, job.abort.signal);
      await bench.follow(order);
      const missing = bench.farm.config.worktree.copy.filter((path) => !existsSync(join(bench.farm.repo.root, path)));
      const { outcome, ms, detail, beside } = await this.#run.run(
        { tree, commit, check, slot, task: null, stage: 'queue', log: job.log },
        undefined,
      );
      const without = missing.length > 0 ? `, without ${missing.join(', ')}` : '';
      job.end = {
        say: 'done',
        id,
        result: { outcome, ms, detail: detail?.slice(0, 4000) ?? null, beside, class: `${this.#order.class}${without}`.slice(0, 500) },
      };
    } finally {
      clearInterval(telling);
      this.#aborts.delete(key);
      this.#slots.delete(slot);
    }
  }

  #freeSlot(): string {
    for (let n = 1; ; n++) {
      const slot = String(n);
      if (this.#slots.has(slot)) continue;
      this.#slots.add(slot);
      return slot;
    }
  }

  async #finish(id: string, job: Job): Promise<void> {
    await this.#sendOutput(id, job);
    if (this.#jobs.get(id) === job && job.end) this.#order.say(job.end);
  }

  async #tail(): Promise<void> {
    for (const [id, job] of this.#jobs) if (!job.end) await this.#sendOutput(id, job);
  }

  async #sendOutput(id: string, job: Job): Promise<void> {
    const size = (await stat(job.log).catch(() => undefined))?.size ?? 0;
    // Too much output was dropped: the log has begun anew.
    if (size < job.sent) job.sent = 0;
    if (size === job.sent) return;
    const file = await open(job.log);
    try {
      while (job.sent < size) {
        const at = job.sent;
        const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(OUTPUT_BYTES, size - at)), 0, undefined, at);
        if (bytesRead === 0) return;
        job.sent = at + bytesRead;
        this.#order.say({ say: 'output', id, at, bytes: buffer.subarray(0, bytesRead).toString('base64') });
      }
    } finally {
      await file.close();
    }
  }
}

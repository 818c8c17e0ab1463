import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { CheckOrder, CheckResult } from '../../hosts/link/frames.ts';
import { limiter } from '../../platform/limit.ts';

/** More than a log can have: a host that sends more than that is not believed. */
const LOG_BYTES = 20 * 1024 * 1024;

export interface Ends {
  done(result: CheckResult): void;
  fail(error: Error): void;
  started(): void;
}

/** One check that a host runs, and the copy of its log that people read here. */
export class RemoteCheck implements Ends {
  readonly order: CheckOrder;
  readonly slot: string;
  readonly done: Ends['done'];
  readonly fail: Ends['fail'];
  readonly started: Ends['started'];
  readonly #log: string;
  readonly #turn = limiter(1);
  #file: FileHandle | undefined;
  #size = 0;

  constructor(order: CheckOrder, { log, slot }: { log: string; slot: string }, { done, fail, started }: Ends) {
    this.order = order;
    this.#log = log;
    this.slot = slot;
    this.done = done;
    this.fail = fail;
    this.started = started;
  }

  /** The part of the log that is here, in bytes. */
  get have(): number {
    return this.#size;
  }

  /** Writes a part of the log. A part that is here already, or that would leave a hole, changes nothing; from 0 on the log begins anew. */
  output(at: number, bytes: Uint8Array): Promise<void> {
    return this.#turn(async () => {
      if ((at !== 0 && at !== this.#size) || at + bytes.length > LOG_BYTES) return;
      const file = await this.#opened();
      if (at < this.#size) await file.truncate(at);
      await file.write(bytes, 0, bytes.length, at);
      this.#size = at + bytes.length;
    });
  }

  /** Resolves when all that came before has been written. */
  outputWritten(): Promise<void> {
    return this.#turn(async () => {});
  }

  close(): Promise<void> {
    return this.#turn(async () => {
      await this.#file?.close();
      this.#file = undefined;
    });
  }

  async #opened(): Promise<FileHandle> {
    if (this.#file) return this.#file;
    await mkdir(dirname(this.#log), { recursive: true, mode: 0o700 });
    this.#file = await open(this.#log, 'w', 0o600);
    return this.#file;
  }
}

import { join } from 'node:path';
import { readIfThere, writeWhole } from '../../../../platform/files.ts';

export const RECORD = 'codex-heard.json';

/** The number of prompts that are remembered: more than any turn was ever given. */
const KEPT = 200;

interface Record {
  /** When the attempt was launched: older parts of a resumed conversation were reported before. */
  readonly since: number;
  readonly prompts: readonly string[];
  readonly ended: string | undefined;
}

/** The text of the file before the start. */
export function begun(now: number): string {
  return JSON.stringify({ since: now, prompts: [] });
}

/**
 * The part of the conversation that was already reported. It is kept beside the attempt, because the conversation goes on while the daemon
 * is away: so a turn that ended meanwhile is reported exactly once.
 */
export class Reported {
  readonly since: number;
  readonly #path: string;
  readonly #prompts: Set<string>;
  #ended: string | undefined;

  private constructor(path: string, record: Record) {
    this.#path = path;
    this.since = record.since;
    this.#prompts = new Set(record.prompts);
    this.#ended = record.ended;
  }

  static async open(folder: string): Promise<Reported> {
    const path = join(folder, RECORD);
    const text = await readIfThere(path);
    return new Reported(path, text ? (JSON.parse(text) as Record) : { since: 0, prompts: [], ended: undefined });
  }

  /** Records a prompt; true the first time. */
  async prompt(item: string): Promise<boolean> {
    if (this.#prompts.has(item)) return false;
    this.#prompts.add(item);
    await this.#save();
    return true;
  }

  isNew(turn: string): boolean {
    return this.#ended !== turn;
  }

  /** Recorded after the daemon has answered: reporting twice is better than never. */
  async end(turn: string): Promise<void> {
    this.#ended = turn;
    await this.#save();
  }

  async #save(): Promise<void> {
    const record: Record = { since: this.since, prompts: [...this.#prompts].slice(-KEPT), ended: this.#ended };
    await writeWhole(this.#path, JSON.stringify(record));
  }
}

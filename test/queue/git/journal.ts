import type { EntryState } from '../../../src/journal/rows/entry.ts';
import { type Chain, type CheckRun, NO_NOTES, type QueueEntry, type QueueNotes } from '../../../src/queue/snapshot.ts';
import type { StackEntry } from '../../../src/repo/merge/judge.ts';
import type { LandingMove } from '../../../src/repo/merge/land.ts';
import type { Publication } from '../../../src/repo/merge/publish.ts';

export interface Submitted extends StackEntry {
  readonly after: readonly string[];
}

export interface Landing extends LandingMove {
  readonly entries: readonly Submitted[];
}

/** What a daemon would find again after a crash, and nothing else. It is told what happened and decides nothing. */
export class Journal {
  readonly open = new Map<number, Submitted>();
  readonly states = new Map<number, EntryState>();
  readonly runs: CheckRun[] = [];
  /** In their order. An entry that is here twice has ended twice. */
  readonly ends: { readonly entry: Submitted; readonly state: EntryState }[] = [];
  landings: Landing[] = [];
  notes: QueueNotes = NO_NOTES;
  /** Begun, and not known to be done. */
  landing: Landing | undefined;
  publishing: Publication | undefined;
  /** Submitted commits that landed and were queued again, for a user who went another way. */
  displaced = 0;
  readonly #all = new Map<number, Submitted>();

  constructor(entries: readonly Submitted[]) {
    for (const entry of entries) this.#add(entry);
  }

  #add(entry: Submitted): void {
    this.#all.set(entry.id, entry);
    this.open.set(entry.id, entry);
  }

  ran(run: Omit<CheckRun, 'id'>): void {
    this.runs.push({ id: this.runs.length + 1, ...run });
  }

  end(id: number, state: EntryState): void {
    this.ends.push({ entry: this.#all.get(id)!, state });
    this.open.delete(id);
  }

  landed(landing: Landing): void {
    this.landings.push(landing);
    for (const { id } of landing.entries) this.end(id, 'landed');
  }

  /** The same work again is a new entry. */
  requeue(commits: readonly string[]): void {
    const gone = this.landings.filter((landing) => commits.includes(landing.new));
    this.landings = this.landings.filter((landing) => !gone.includes(landing));
    for (const entry of gone.flatMap(({ entries }) => entries)) {
      this.displaced++;
      this.#add({ ...entry, id: Math.max(...this.#all.keys()) + 1 });
    }
  }

  /** How each task ended at last. */
  endOf(task: string): EntryState | 'open' {
    if ([...this.open.values()].some((entry) => entry.task === task)) return 'open';
    return this.ends.findLast(({ entry }) => entry.task === task)?.state ?? 'open';
  }

  landedTasks(): Set<string> {
    return new Set(this.ends.map(({ entry }) => entry.task).filter((task) => this.endOf(task) === 'landed'));
  }

  entries(): QueueEntry[] {
    return [...this.open.values()].map(({ id, task, attempt, sha, after, at }) => ({
      ...{ id, task, attempt, sha, after, at },
      state: this.states.get(id) ?? 'queued',
      own: [],
      priority: 0,
      overlaps: 0,
      awaitsYes: false,
    }));
  }

  chain(ids: Chain): Submitted[] {
    return ids.map((id) => this.#all.get(id)!);
  }
}

import { greenOnes } from './green.ts';
import type { Line } from './line.ts';
import { type Mark, NO_MARK } from './risk.ts';
import type { Chain, Group, Held, QueueEntry, QueueSnapshot } from './snapshot.ts';
import { ended } from './state.ts';
import { stubborn } from './stubborn.ts';
import { aboutOf, indexRuns, type Runs } from './verdict.ts';

/** One look at the queue: what the snapshot says, made quick to ask, and what the parts of the planner work out from it. */
export interface Look {
  readonly snapshot: QueueSnapshot;
  /** Entries that have not ended. */
  readonly open: ReadonlyMap<number, QueueEntry>;
  readonly openTasks: ReadonlySet<string>;
  readonly runs: Runs;
  readonly busy: ReadonlySet<string>;
  readonly busyTrees: ReadonlySet<string>;
  /** Keys of chains onto which an entry is known not to merge. */
  readonly clashes: ReadonlyMap<number, readonly string[]>;
  readonly slots: number;

  /** Entries that this plan ends. */
  readonly gone: Set<number>;
  readonly marks: Map<number, Mark>;
  /** Entries that lack nothing but a person's yes, and by which checks they were green. */
  readonly green: Map<number, string>;
  /** Why an entry came back into the pool. */
  readonly back: Map<number, string>;
  /** Merges to ask for, by key. */
  asks: Map<string, Chain>;
  segments: readonly Chain[];
  held: Held[];
  groups: Group[];
  line: Line;
  /** Entries that were passed over, and what they do not merge with. */
  clashing: Map<number, number | undefined>;
  /** The chain is not complete: a merge has to be known first. */
  pending: number | undefined;
}

/** Under what a check of a tree is among those that run. */
export const runKey = (runs: Pick<Runs, 'abouts'>, tree: string, check: string) => `${aboutOf(runs, tree, check)} ${check}`;

export function lookAt(snapshot: QueueSnapshot): Look {
  const { notes } = snapshot;
  const open = new Map(snapshot.entries.filter((entry) => !ended(entry.state)).map((entry) => [entry.id, entry]));
  const runs = indexRuns(stubborn(snapshot.runs), snapshot.abouts);
  return {
    snapshot,
    open,
    openTasks: new Set([...open.values()].map((entry) => entry.task)),
    runs,
    busy: new Set(snapshot.running.map((one) => runKey(runs, one.tree, one.check))),
    busyTrees: new Set(snapshot.running.map((one) => one.tree)),
    clashes: clashesOf(snapshot.stacked),
    slots: Math.max(1, snapshot.slots),
    gone: new Set(),
    marks: marksOf(notes.marks, open, runs),
    green: greenOnes(snapshot, open),
    back: new Map(),
    asks: new Map(),
    segments: notes.segments,
    held: [...notes.held],
    groups: [...notes.groups],
    line: { links: [], ends: [] },
    clashing: new Map(),
    pending: undefined,
  };
}

export const markOf = (look: Look, id: number): Mark => look.marks.get(id) ?? NO_MARK;

/** Still to be decided about: open, and not ended by this plan. */
export const lives = (look: Look, id: number) => look.open.has(id) && !look.gone.has(id);

export const hasLanded = (look: Look, task: string) => look.snapshot.landedTasks.has(task);

/** Whether it can stand on the head itself. */
export const isReady = (look: Look, entry: QueueEntry) => entry.after.every((task) => hasLanded(look, task));

export function older(a: QueueEntry, b: QueueEntry): number {
  return a.at - b.at || a.id - b.id;
}

function clashesOf(stacked: QueueSnapshot['stacked']): Map<number, string[]> {
  const clashes = new Map<number, string[]>();
  for (const [key, result] of stacked) {
    if (result.kind === 'clean') continue;
    const cut = key.lastIndexOf(',');
    if (cut < 0) continue;
    const id = Number(key.slice(cut + 1));
    const keys = clashes.get(id);
    if (keys) keys.push(key.slice(0, cut));
    else clashes.set(id, [key.slice(0, cut)]);
  }
  return clashes;
}

/** A red that is not among the runs any more counts no more: the human said "go on", or the store forgot it. */
function marksOf(notes: QueueSnapshot['notes']['marks'], open: ReadonlyMap<number, QueueEntry>, runs: Runs): Map<number, Mark> {
  const marks = new Map<number, Mark>();
  for (const [key, mark] of Object.entries(notes)) {
    if (!open.has(Number(key))) continue;
    const reds = mark.reds.filter((id) => runs.byId.get(id)?.outcome === 'fail');
    marks.set(Number(key), { cleared: mark.cleared, reds });
  }
  return marks;
}

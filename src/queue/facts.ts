import { ended } from '../work/entry/state.ts';
import { countRepeatedErrors } from './repeated-errors.ts';
import type { QueueEntry, QueueSnapshot } from './snapshot.ts';
import { aboutOf, indexRuns, type Runs } from './verdict.ts';

/** The snapshot, indexed for fast questions by every step of the planner. No step changes it. */
export interface QueueFacts {
  readonly snapshot: QueueSnapshot;
  /** Entries that have not ended. */
  readonly open: ReadonlyMap<number, QueueEntry>;
  /** Open entries that this plan does not end without a check. */
  readonly live: ReadonlyMap<number, QueueEntry>;
  readonly openTasks: ReadonlySet<string>;
  readonly runs: Runs;
  /** Checks that run, by `runKey`. */
  readonly busy: ReadonlySet<string>;
  readonly busyTrees: ReadonlySet<string>;
  /** By entry: keys of chains that it is known not to merge onto. */
  readonly clashes: ReadonlyMap<number, readonly string[]>;
  readonly slots: number;
}

export function factsOf(snapshot: QueueSnapshot): QueueFacts {
  const open = snapshot.entries.filter((entry) => !ended(entry.state));
  const runs = indexRuns(countRepeatedErrors(snapshot.runs), snapshot.abouts);
  const endsNow = (entry: QueueEntry) => isReady({ snapshot }, entry) && (snapshot.stacked.get(`${entry.id}`)?.kind ?? 'clean') !== 'clean';
  return {
    snapshot,
    open: byId(open),
    live: byId(open.filter((entry) => !endsNow(entry))),
    openTasks: new Set(open.map((entry) => entry.task)),
    runs,
    busy: new Set(snapshot.running.map((one) => runKey(runs, one.tree, one.check))),
    busyTrees: new Set(snapshot.running.map((one) => one.tree)),
    clashes: clashesOf(snapshot.stacked),
    slots: Math.max(1, snapshot.slots),
  };
}

/** The key of a running check on a tree. */
export const runKey = (runs: Pick<Runs, 'abouts'>, tree: string, check: string) => `${aboutOf(runs, tree, check)} ${check}`;

type Landed = { readonly snapshot: Pick<QueueSnapshot, 'landedTasks'> };

export const hasLanded = ({ snapshot }: Landed, task: string) => snapshot.landedTasks.has(task);

/** True if the entry can be merged onto the head itself: everything that it needs has landed. */
export const isReady = (facts: Landed, entry: QueueEntry) => entry.after.every((task) => hasLanded(facts, task));

export function older(a: QueueEntry, b: QueueEntry): number {
  return a.at - b.at || a.id - b.id;
}

const byId = (entries: readonly QueueEntry[]) => new Map(entries.map((entry) => [entry.id, entry]));

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

import type { Out } from '../../api/contract.ts';
import { type EntryPlace, entryPlace, inQueue } from './states.ts';
import type { QueueEntry, View } from './view.ts';

export interface StackRow {
  readonly entry: QueueEntry;
  readonly place: EntryPlace;
  /** The slots that check a tree with this entry in it. */
  readonly slots: readonly string[];
}

/** One tree under check: the head and, on it, the rows up to `height`. */
interface StackCheck {
  readonly slot: string;
  readonly check: string;
  /** Since when, in milliseconds. */
  readonly since: number;
  /** Its slot is still being prepared. */
  readonly setup: boolean;
  readonly log: string;
  readonly hanging: string | null;
  /** Tasks in the tree, the lowest first; none: the head itself. */
  readonly tasks: readonly string[];
  /** Indices of their rows; a task without an open entry (an entrant of a race) has none. */
  readonly rows: readonly number[];
}

/** The merge queue as a picture: the head at the bottom, on it what would land next, beside it what waits or is suspected. */
export interface Stack {
  readonly target: string;
  readonly head: string | null;
  readonly published: string | null;
  readonly paused: boolean;
  readonly halted: string | null;
  /** Open entries: first those that are stacked on the head, the lowest first, then the others in their order. */
  readonly rows: readonly StackRow[];
  readonly checks: readonly StackCheck[];
  /** Slots in which nothing runs. */
  readonly free: number;
  /** The newest that were sent back, the newest first, while their tasks have nothing newer in the queue. */
  readonly back: readonly StackRow[];
}

const BACK_SHOWN = 10;

export function stackOf(view: Pick<View, 'queue' | 'entries'>): Stack {
  const { queue, entries } = view;
  const { target, head, published, paused, halted, slots } = queue;
  const open = entries.filter(inQueue);
  const rows = inOrder(open, queue.checks).map((entry) => rowOf(entry, queue.checks));
  const checks = queue.checks.map(({ slot, check, since, setup, log, hanging, tasks }) => {
    const at = tasks.map((task) => rows.findIndex((row) => row.entry.task === task)).filter((row) => row >= 0);
    return { slot, check, since: Date.parse(since), setup, log, hanging, tasks, rows: at };
  });
  const busy = new Set(checks.map(({ slot }) => slot));
  return { target, head, published, paused, halted, rows, checks, free: Math.max(0, slots - busy.size), back: sentBack(entries) };
}

type Check = Out<'queue'>['checks'][number];

/** The longest tree under check names most of the chain in its order; the others are its parts, or checked beside it. */
function inOrder(open: readonly QueueEntry[], checks: readonly Check[]): QueueEntry[] {
  const chain = new Set(checks.toSorted((a, b) => b.tasks.length - a.tasks.length).flatMap(({ tasks }) => tasks));
  const stacked = [...chain].flatMap((task) => open.filter((entry) => entry.task === task));
  const rank = (entry: QueueEntry) => RANKS.indexOf(entryPlace(entry));
  const others = open.filter((entry) => !chain.has(entry.task)).toSorted((a, b) => rank(a) - rank(b));
  const unsure = stacked.filter((entry) => ['quarantined', 'held'].includes(entryPlace(entry)));
  return [...stacked.filter((entry) => !unsure.includes(entry)), ...[...unsure, ...others].toSorted((a, b) => rank(a) - rank(b))];
}

/** Those that land sooner stand lower. */
const RANKS: readonly EntryPlace[] = ['landing', 'checking', 'approval', 'review', 'queued', 'held', 'quarantined', 'conflict', 'rejected'];

function rowOf(entry: QueueEntry, checks: readonly Check[]): StackRow {
  const slots = checks.filter(({ tasks }) => tasks.includes(entry.task)).map(({ slot }) => slot);
  return { entry, place: entryPlace(entry), slots: [...new Set(slots)] };
}

function sentBack(entries: readonly QueueEntry[]): StackRow[] {
  const newest = new Map(entries.map((entry) => [`${entry.phase}/${entry.task}`, entry]));
  return [...newest.values()]
    .filter(({ state }) => state === 'conflict' || state === 'rejected')
    .toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at))
    .slice(0, BACK_SHOWN)
    .map((entry) => ({ entry, place: entryPlace(entry), slots: [] }));
}

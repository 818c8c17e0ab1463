import type { EntryState } from '../journal/rows/entry.ts';
import type { CheckSpec } from '../repo/merge/check.ts';
import type { StackResult } from '../repo/merge/conflict.ts';

export type { CheckSpec } from '../repo/merge/check.ts';
export type { StackResult } from '../repo/merge/conflict.ts';

export interface QueueEntry {
  readonly id: number;
  /** `phase/id`. */
  readonly task: string;
  readonly attempt: number;
  /** The commit pinned at submit. It is checked and landed, wherever the branch has moved since. */
  readonly sha: string;
  /** Tasks that must be landed, or ahead in the chain, first. */
  readonly after: readonly string[];
  readonly state: EntryState;
  /** The time its task was first submitted. */
  readonly at: number;
  /** Checks of this task alone, run after those of the project on every tree that contains it before it lands. */
  readonly own: readonly CheckSpec[];
  /** Higher first; 0 is usual. */
  readonly priority: number;
  /** The number of other open entries that touch the same paths. For order and risk only. */
  readonly overlaps: number;
  /** It must not land before a person, or its reviewer, has said yes, and nobody has yet. */
  readonly awaitsYes: boolean;
  /** For messages only: the review that it waits for, before any person is asked. */
  readonly review?: { readonly text: string; readonly person: boolean } | undefined;
}

/** Entries by id, stacked in this order on the head. Empty: the head itself. */
export type Chain = readonly number[];

/** The key under which `stacked` keeps the result of merging the last of a chain onto the rest. */
export const chainKey = (chain: Chain) => chain.join(',');

/** By `aboutKey`: the content that the verdict of a check on a tree is about. Missing: the whole tree. */
export type Abouts = ReadonlyMap<string, string>;

export const aboutKey = (tree: string, check: string) => `${tree} ${check}`;

export interface CheckRun {
  /** Grows with time. */
  readonly id: number;
  /** The content that it was about: a tree, or the content of the check's paths in it. */
  readonly tree: string;
  readonly check: string;
  /** `error` is trouble of the machine and says nothing about the tree. */
  readonly outcome: 'pass' | 'fail' | 'error';
  /** For messages only: how it failed, and the file with its output. */
  readonly detail?: string | null;
  readonly log?: string;
}

export interface Held {
  readonly ids: Chain;
  /** The prefix that was open; `tasks` are the tasks of its entries, because an ended entry is known only by its task. */
  readonly behind: Chain;
  readonly tasks: readonly string[];
  /** The red run. */
  readonly run: number;
}

/** A check asked for on behalf of a group. Its answer is useful even if the head has moved since. */
export interface Trial {
  readonly ids: Chain;
  readonly tree: string;
  readonly headTree: string;
}

/** The head was red by this run of this check, and proves nothing until it has passed the check again. */
export interface Doubt {
  readonly headTree: string;
  readonly check: string;
  readonly run: number;
}

export interface Group {
  readonly ids: Chain;
  readonly trials: readonly Trial[];
  /** One entry, here only because it is checked alone before a person says yes. */
  readonly yes?: true;
}

/**
 * The facts that the planner needs again at its next look, also after a crash. Plain JSON. Losing it costs checks, never correctness: every
 * landing and rejection is justified by `runs`.
 */
export interface QueueNotes {
  /** The chain as last cut, front first. */
  readonly segments: readonly Chain[];
  /** Segments taken out of the chain because their prefix was red while the one before was open. */
  readonly held: readonly Held[];
  /** Groups known to hold a culprit (red on a green head), in order. */
  readonly groups: readonly Group[];
  /** By entry: how often quarantine cleared it, and the red runs of it alone that count against it. */
  readonly marks: Readonly<Record<string, { readonly cleared: number; readonly reds: readonly number[] }>>;
  readonly doubt?: Doubt | undefined;
  /** Entries that wait for a person's yes and were green alone on a head, each with the checks. */
  readonly green?: Readonly<Record<string, string>>;
}

export const NO_NOTES: QueueNotes = { segments: [], held: [], groups: [], marks: {} };

/** A task that open entries wait for and that has neither landed nor is in the queue. */
export interface Absent {
  /** Its state, as the end of a sentence: "is parked", "was sent back (check failed)". */
  readonly is: string;
  /** Somebody works on it or will: it comes without a person's help. */
  readonly comes: boolean;
  /** The command by which a person can help. */
  readonly next: string;
}

/** All facts from which the queue decides. */
export interface QueueSnapshot {
  /** For messages only: the branch that the head is of. */
  readonly target?: string;
  readonly head: string;
  readonly headTree: string;
  readonly entries: readonly QueueEntry[];
  readonly landedTasks: ReadonlySet<string>;
  /** Merges known on this head, by `chainKey`. */
  readonly stacked: ReadonlyMap<string, StackResult>;
  /** Oldest first. To go on after a halt, leave out runs that are no pass and older than a person's word. */
  readonly runs: readonly CheckRun[];
  /** Cheap ones first. */
  readonly checks: readonly CheckSpec[];
  /** For the checks that look only at some paths, and every tree at hand. */
  readonly abouts?: Abouts;
  readonly running: readonly { readonly tree: string; readonly check: string }[];
  /** Reruns that a single red entry gets before it counts. */
  readonly retries: number;
  readonly slots: number;
  /** Most entries in a segment. */
  readonly batch: number;
  /** The numbers of entries that landed and that were rejected before: the base rate of risk. */
  readonly record: { readonly passes: number; readonly fails: number };
  readonly paused: boolean;
  /** For explaining only: it is paused because a person stopped the farm. */
  readonly stopped?: true;
  /** For explaining only: it is paused because the repository is not trusted, and this is why. */
  readonly untrusted?: string;
  /** A work before its first agent, or a person, waits for a check of the head itself. */
  readonly preflight?: boolean;
  readonly notes: QueueNotes;
  /** For explaining only, by task. */
  readonly absent?: ReadonlyMap<string, Absent>;
}

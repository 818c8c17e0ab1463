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
  /** The commit pinned at submit: what is checked and landed, wherever the branch has gone since. */
  readonly sha: string;
  /** Tasks that must be landed, or ahead in the chain, first. */
  readonly after: readonly string[];
  readonly state: EntryState;
  /** The time its task was first submitted. */
  readonly at: number;
  /** Checks of this task alone, run after those of the project on every tree that has it and is not landed. */
  readonly own: readonly CheckSpec[];
  /** Higher first; 0 is usual. */
  readonly priority: number;
  /** The number of other open entries that touch a path that it touches. For order and risk only. */
  readonly overlaps: number;
  /** It must not land before a person, or the reviewer of its work, has said yes, and nobody has yet. */
  readonly awaitsYes: boolean;
  /** For messages only: the review that it waits for, before any person is asked. */
  readonly review?: { readonly text: string; readonly person: boolean } | undefined;
}

/** Entries by id, stacked in this order on the head. Empty: the head itself. */
export type Chain = readonly number[];

/** The key under which `stacked` keeps the result of merging the last of a chain onto the rest. */
export const chainKey = (chain: Chain) => chain.join(',');

/** By `aboutKey`, the content that the verdict of a check about a tree is about. Missing: the whole tree. */
export type Abouts = ReadonlyMap<string, string>;

export const aboutKey = (tree: string, check: string) => `${tree} ${check}`;

export interface CheckRun {
  /** Grows with time. */
  readonly id: number;
  /** The content it was about: a tree, or the content of the check's paths in it. */
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
  /** The prefix that was open; `tasks` are theirs, because an entry that has ended is known by its task only. */
  readonly behind: Chain;
  readonly tasks: readonly string[];
  /** The red run. */
  readonly run: number;
}

/** A check asked for on behalf of a group. The head may have moved on since: what it answers is of use all the same. */
export interface Trial {
  readonly ids: Chain;
  readonly tree: string;
  readonly headTree: string;
}

/** The head was red by this run of this check, and stands for nothing until it has passed it again. */
export interface Doubt {
  readonly headTree: string;
  readonly check: string;
  readonly run: number;
}

export interface Group {
  readonly ids: Chain;
  readonly trials: readonly Trial[];
  /** One entry, here only because it is checked alone before a person says yes to it. */
  readonly yes?: true;
}

/**
 * The facts that the planner wants to find again at its next look, after a crash too. Plain JSON. Losing it costs checks, never
 * correctness: all that lands or is rejected is justified from `runs`.
 */
export interface QueueNotes {
  /** The chain as last cut, front first. */
  readonly segments: readonly Chain[];
  /** Segments taken out of the chain because their prefix was red while the one before was open. */
  readonly held: readonly Held[];
  /** Groups known to hold a culprit: red on a green head, in this order. */
  readonly groups: readonly Group[];
  /** By entry: how often quarantine cleared it, and the ids of the red runs of it alone that count against it. */
  readonly marks: Readonly<Record<string, { readonly cleared: number; readonly reds: readonly number[] }>>;
  readonly doubt?: Doubt | undefined;
  /** Entries that wait for a person's yes and were green alone on a head: by which checks. */
  readonly green?: Readonly<Record<string, string>>;
}

export const NO_NOTES: QueueNotes = { segments: [], held: [], groups: [], marks: {} };

/** A task that open entries wait for, that has not landed and is not in the queue. */
export interface Absent {
  /** Its state, as the end of a sentence: "is parked", "was sent back (check failed)". */
  readonly is: string;
  /** Somebody works on it or will: it comes without a person's doing. */
  readonly comes: boolean;
  /** The command with which a person can do something about it. */
  readonly next: string;
}

/** All that the queue decides from. */
export interface QueueSnapshot {
  /** For messages only: the branch that the head is of. */
  readonly target?: string;
  readonly head: string;
  readonly headTree: string;
  readonly entries: readonly QueueEntry[];
  readonly landedTasks: ReadonlySet<string>;
  /** Merges known on this head, by `chainKey`. */
  readonly stacked: ReadonlyMap<string, StackResult>;
  /** Oldest first. To go on after a halt, leave out the runs that are not passes and older than a person's word. */
  readonly runs: readonly CheckRun[];
  /** Cheap ones first. */
  readonly checks: readonly CheckSpec[];
  /** Of the checks that look only at some paths, for every tree at hand. */
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
  /** Somebody waits for the head itself to be checked: a work before its first agent, or a person. */
  readonly preflight?: boolean;
  readonly notes: QueueNotes;
  /** For explaining only, by task. */
  readonly absent?: ReadonlyMap<string, Absent>;
}

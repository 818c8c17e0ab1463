import type { EntryState } from '../journal/schema.ts';
import type { ConflictReport } from '../merge/conflict.ts';
import { decide } from './decide.ts';
import { stopFor } from './head.ts';
import { lookAt } from './look.ts';
import { statesOf } from './moves.ts';
import { arrange } from './slots.ts';
import type { Chain, CheckSpec, QueueNotes, QueueSnapshot } from './snapshot.ts';

export interface WantedCheck {
  readonly tree: string;
  /** What is checked: these entries stacked on the head; empty: the head itself. */
  readonly chain: Chain;
  readonly check: CheckSpec;
  /** `chain`: may land; `probe`: looks for the culprit of a group; `confirm`: one entry alone; `head`: is it the head that is red? */
  readonly purpose: 'chain' | 'probe' | 'confirm' | 'head';
}

export interface QueuePlan {
  /** Merges to compute: the last of each chain onto the rest, which is known to be clean (or is the head). */
  readonly stack: Chain[];
  /** Checks to start, best first: wanted, not running, at most as many as slots are free. */
  readonly checks: WantedCheck[];
  /** Checks that run and are wanted no more. */
  readonly cancel: { tree: string; check: string }[];
  /** At most one: the longest green prefix. `unchecked`: the project has no checks, which deserves a loud note. */
  readonly land: { entries: Chain; tree: string; head: string; unchecked: boolean } | undefined;
  readonly handback: { entry: number; report: ConflictReport }[];
  readonly refuse: { entry: number; reason: string }[];
  /** `runs`: ids of the red runs of head + entry alone that justify it (retries + 1 at least). */
  readonly reject: { entry: number; check: string; tree: string; head: string; runs: readonly number[] }[];
  readonly contained: number[];
  readonly states: { entry: number; state: EntryState; reason: string }[];
  /** Why the line stands still. */
  readonly halted: string | undefined;
  readonly notes: QueueNotes;
}

const NOTHING = { stack: [], checks: [], cancel: [], land: undefined, handback: [], refuse: [], reject: [], contained: [], states: [] };

/**
 * What to do next, from nothing but the snapshot: same snapshot, same plan. Entries are stacked on the head and cut into
 * segments; each prefix of segments has a slot that checks it; the longest green prefix lands; what turns a prefix red is
 * taken out and searched for the culprit, while the rest goes on.
 */
export function planQueue(snapshot: QueueSnapshot): QueuePlan {
  if (snapshot.paused) return { ...NOTHING, halted: undefined, notes: snapshot.notes };
  const look = lookAt(snapshot);
  const stop = stopFor(look);
  if (stop) return { ...NOTHING, checks: [...stop.checks], halted: stop.halted, notes: { ...snapshot.notes, doubt: stop.doubt } };
  const decision = decide(look);
  const work = arrange(decision);
  const { handback, refuse, contained, reject, land } = decision;
  return {
    stack: land ? [] : [...look.asks.values()],
    checks: work.checks,
    cancel: work.cancel,
    land,
    handback,
    refuse,
    reject,
    contained,
    states: statesOf(decision, work),
    halted: work.halted,
    notes: work.notes,
  };
}

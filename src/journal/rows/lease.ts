import type { Generated } from 'kysely';

/**
 * `declared`: the paths of a task. `needed`: resources that a task or a check names. `reserved`, `held`: asked for by an agent or a
 * person, with `furrow reserve` and `furrow hold`.
 */
type LeaseOrigin = 'declared' | 'needed' | 'reserved' | 'held';

/** A hold on paths or on resources, or the wish for one. */
export interface LeaseRow {
  id: Generated<number>;
  kind: 'path' | 'resource';
  /** JSON: patterns of paths, or names of resources. */
  names: string;
  mode: 'exclusive' | 'shared';
  count: number;
  origin: LeaseOrigin;
  /** `attempt:7`, `process:PID:START`, `check:TREE:ID`, `person`, or `task:REF`: its submitted work. */
  holder: string;
  /** The holder's name for people. */
  who: string;
  attempt: number | null;
  /** The process that the lease ends with, and its start time. */
  pid: number | null;
  pid_start: string | null;
  reason: string | null;
  asked: number;
  /** The expected end, by the clock on the wall; the lease does not expire. */
  until: number | null;
  standing: 'waiting' | 'held' | 'ended';
  token: number | null;
  granted: number | null;
  ended: number | null;
  /** Why it ended. */
  why: string | null;
}

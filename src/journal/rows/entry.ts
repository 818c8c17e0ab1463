import type { Generated } from 'kysely';

/** States of an entry that is in the queue. */
export type QueuedState = 'queued' | 'checking' | 'held' | 'quarantined';

export type EntryState = QueuedState | 'conflict' | 'rejected' | 'landed' | 'cancelled';

export interface EntryRow {
  id: Generated<number>;
  task: string;
  attempt: number;
  agent: string | null;
  title: string;
  sha: string;
  /** JSON array of task refs that must be landed, or ahead, first. */
  after: string;
  /** Higher first; null: that of its task. */
  priority: number | null;
  /** 1: its own commits stay in the history behind the landing. */
  keep: number;
  /** JSON array of the paths it changes; null until they are known. */
  paths: string | null;
  state: EntryState;
  reason: string | null;
  at: number;
  ended: number | null;
  /** The branch it is to land on; null in rows of earlier versions. */
  target: Generated<string | null>;
  /** Hash of the checks that it was judged by; null until it was. */
  checks: Generated<string | null>;
  /** JSON array of the rules that asked for a person's yes when it was submitted; null: none did. */
  land: Generated<string | null>;
  /** When a person said yes to this commit. */
  approved: Generated<number | null>;
}

import type { Generated } from 'kysely';
import type { EventKind } from '../event-kind.ts';

export interface EventRow {
  seq: number;
  at: number;
  kind: EventKind;
  agent: string | null;
  task: string | null;
  attempt: number | null;
  data: string;
}

/** A journalled act: committed as `open` before it is done, closed after. */
export interface IntentRow {
  id: Generated<number>;
  kind: string;
  key: string;
  args: string;
  state: 'open' | 'done' | 'failed';
  at: number;
  ended: number | null;
  result: string | null;
}

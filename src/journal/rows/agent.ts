import type { Generated } from 'kysely';

export interface AgentRow {
  name: string;
  idx: number;
  phase: string;
  kind: string;
  state: 'starting' | 'idle' | 'working' | 'stopping' | 'stopped';
  worktree: string;
  /** Id of the running attempt. */
  attempt: number | null;
  paused: number;
  port: number;
  /** A name for a database of its own, unlike any other on this machine; null until the registry gave it one. */
  database: Generated<string | null>;
  since: number;
}

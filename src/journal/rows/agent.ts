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
  /** The name of the agent's own database, unique on this machine; null until the registry has given it one. */
  database: Generated<string | null>;
  since: number;
}

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
  since: number;
}

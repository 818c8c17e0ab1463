/** The state that the coordination folder shows, read at once. Times are ISO 8601. */
export interface CoordinationSnapshot {
  readonly farm: { readonly id: string; readonly repo: string; readonly target: string; readonly state: string };
  /** Null after it has ended. */
  readonly daemon: { readonly pid: number; readonly version: string } | null;
  readonly agents: readonly ShownAgent[];
  /** Tasks that are not done, in the order of the board. */
  readonly tasks: readonly ShownTask[];
  readonly queue: { readonly head: string | null; readonly paused: boolean; readonly entries: readonly ShownEntry[] };
  /** The newest of the farm, the oldest of them first. */
  readonly messages: readonly ShownMessage[];
  /** On paths and resources, held and waited for. */
  readonly leases: readonly ShownLease[];
}

export interface ShownAgent {
  readonly name: string;
  readonly index: number;
  readonly kind: string;
  readonly phase: string;
  readonly state: string;
  readonly detail: string | null;
  readonly paused: boolean;
  readonly task: string | null;
  readonly attempt: number | null;
  readonly worktree: string;
  readonly branch: string | null;
  readonly since: string;
}

export interface ShownLease {
  readonly id: string;
  readonly kind: string;
  readonly names: readonly string[];
  readonly mode: string;
  readonly state: string;
  readonly holder: string;
  readonly reason: string | null;
  readonly until: string | null;
}

interface ShownTask {
  readonly id: string;
  readonly phase: string;
  readonly title: string;
  readonly state: string;
  readonly priority: string;
  readonly depends_on: readonly string[];
  readonly agent: string | null;
  readonly reason: string | null;
}

interface ShownEntry {
  readonly task: string;
  readonly attempt: number;
  readonly sha: string;
  readonly state: string;
  readonly reason: string | null;
}

export interface ShownMessage {
  readonly id: string;
  readonly kind: string;
  readonly from: string;
  readonly to: string;
  readonly at: string;
  readonly state: string;
  readonly reason: string | null;
  readonly body: string;
}

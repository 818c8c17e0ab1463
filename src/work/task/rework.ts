import type { FailedOutput } from '../../platform/output/failed.ts';

/** The report and the commits that the last attempt left for the next one. */
export interface Rework {
  why:
    | 'conflict'
    | 'check'
    | 'failed'
    | 'evidence'
    | 'stopped'
    | 'reverted'
    | 'review'
    | 'findings'
    | 'taken'
    | 'protect'
    | 'race'
    | 'retried';
  /** Exactly what went wrong: paths, the check's output, the missing evidence. */
  report: string;
  /** The commit to start from, if there is one. */
  from: string | null;
  /** The head that its work conflicted with. */
  ours?: string;
  /** The output of the failed check, for people: the report has it for the agent. */
  output?: FailedOutput;
}

/** Reads the rework stored with a task; null when there is none. */
export function reworkOf(task: { readonly rework: string | null }): Rework | null {
  return task.rework ? (JSON.parse(task.rework) as Rework) : null;
}

import type { Generated } from 'kysely';

export type Outcome = 'submitted' | 'answered' | 'unchanged' | 'failed' | 'blocked' | 'crashed' | 'stopped' | 'timeout';

export interface AttemptRow {
  /** Counts over all tasks; part of the names of the attempt's files and of its process marker. */
  id: Generated<number>;
  task: string;
  n: number;
  agent: string;
  kind: string;
  state: 'starting' | 'running' | 'ended';
  base: string;
  branch: string;
  started: number;
  ended: number | null;
  /** `awake` time. */
  deadline: number | null;
  pid: number | null;
  pid_start: string | null;
  said: string | null;
  outcome: Outcome | null;
  reason: string | null;
  sha: string | null;
  summary: string | null;
  /** The number of starts of its process: a conversation may be resumed after a crash. */
  launch: Generated<number>;
  /** The branch that its work is for, decided when it started; null in rows of earlier versions. */
  target: Generated<string | null>;
  /** JSON of the settings of its kind when it started; null in rows of earlier versions. */
  settings: Generated<string | null>;
  /** The machine that it runs on, if that is one that joined the farm. */
  host: Generated<string | null>;
}

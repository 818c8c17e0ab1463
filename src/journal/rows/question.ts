import type { Generated } from 'kysely';

/** Something only a person can answer. */
export interface QuestionRow {
  id: Generated<number>;
  kind: string;
  subject: string;
  reason: string;
  since: number;
  closed: number | null;
  answer: string | null;
  /** The agent that asks; null for a question of the farm. */
  agent: Generated<string | null>;
  /** JSON of the exact request behind it. */
  data: Generated<string | null>;
  /** The time when it gets the safe answer by itself; `awake` time, so that a night in suspend does not answer it. */
  expires: Generated<number | null>;
}

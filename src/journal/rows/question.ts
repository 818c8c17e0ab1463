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
  /** When it is answered by itself, with the safe answer; `awake` time, so that no night in suspend answers it. */
  expires: Generated<number | null>;
}

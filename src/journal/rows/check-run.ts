import type { Generated } from 'kysely';

/** One run of one check on one tree. The verdict of (tree, check) is derived from these. */
export interface CheckRunRow {
  id: Generated<number>;
  tree: string;
  check: string;
  name: string;
  outcome: 'pass' | 'fail' | 'error';
  at: number;
  ms: number;
  /** The number of checks that ran at the same time, itself included. */
  beside: number;
  /** `queue`: before landing; `after`: on what has landed. */
  stage: 'queue' | 'after';
  log: string;
  detail: string | null;
  /** Hash of the content that its verdict is about; null: the whole tree. */
  about: Generated<string | null>;
}

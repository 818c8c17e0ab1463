import type { Generated } from 'kysely';

/** One `furrow work`: which phase is being worked through, and how. */
export interface WorkRow {
  phase: string;
  parallel: number;
  kind: string | null;
  until: 'empty' | 'forever';
  state: 'active' | 'stopping' | 'ended';
  fresh: number;
  at: number;
  /** `wanted`: no agent starts before the head has passed its checks; null: it has passed, or no preflight was asked for. */
  preflight: Generated<'wanted' | null>;
}

import { LEVELS, type Level, QUESTION_KINDS } from './kind.ts';

const LEVEL = new Map(Object.entries(QUESTION_KINDS).map(([kind, { level }]) => [kind, level]));

/** `trouble` is the daemon's report about itself; it is in no table. */
export const levelOf = (kind: string): Level => (kind === 'trouble' ? 'farm' : (LEVEL.get(kind) ?? 'upkeep'));

interface Ranked {
  readonly kind: string;
  readonly since: number;
  readonly expires: number | null;
}

/**
 * The attention list in order: by what is blocked, then what answers itself soonest, then the oldest. Pure. The order of the input matters
 * only for questions that are equal in all of these.
 */
export function ranked<Q extends Ranked>(questions: readonly Q[]): Q[] {
  const soon = ({ expires }: Q) => expires ?? Number.POSITIVE_INFINITY;
  const level = ({ kind }: Q) => LEVELS.indexOf(levelOf(kind));
  return questions.toSorted((a, b) => level(a) - level(b) || compare(soon(a), soon(b)) || a.since - b.since);
}

/** Compares without a difference: that of two infinities is no number. */
const compare = (a: number, b: number) => (a === b ? 0 : a < b ? -1 : 1);

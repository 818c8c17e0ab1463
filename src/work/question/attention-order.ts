import type { QuestionKind } from './kind.ts';

/**
 * The levels of urgency, by what a question blocks; the most urgent first. `farm`: nothing starts or lands before its answer. `agent`: an
 * agent runs, costs and waits. `landing`: finished work waits. `task`: a task waits, and others go on. `upkeep`: nothing waits.
 */
const LEVELS = ['farm', 'agent', 'landing', 'task', 'upkeep'] as const;
export type Level = (typeof LEVELS)[number];

/** `trouble` is the daemon's report about itself; it is in no table. */
const LEVEL: Readonly<Record<QuestionKind | 'trouble', Level>> = {
  trouble: 'farm',
  trust: 'farm',
  store: 'farm',
  target: 'farm',
  head: 'farm',
  queue: 'farm',
  preflight: 'farm',
  permission: 'agent',
  question: 'agent',
  ask: 'agent',
  agent: 'agent',
  survivors: 'agent',
  consent: 'agent',
  'lease-circle': 'agent',
  spread: 'agent',
  approval: 'landing',
  review: 'landing',
  merge: 'landing',
  act: 'landing',
  publish: 'landing',
  'target-moved': 'landing',
  conflict: 'landing',
  rejected: 'landing',
  after: 'landing',
  hanging: 'landing',
  waits: 'landing',
  pattern: 'landing',
  lease: 'task',
  blocked: 'task',
  parked: 'task',
  unlanded: 'task',
  budget: 'task',
  split: 'task',
  fallout: 'task',
  'agent-kind': 'task',
  removed: 'task',
  lost: 'task',
  reopen: 'task',
  doctor: 'upkeep',
  epoch: 'upkeep',
  board: 'upkeep',
  config: 'upkeep',
  push: 'upkeep',
};

export const levelOf = (kind: string): Level => (LEVEL as Readonly<Record<string, Level>>)[kind] ?? 'upkeep';

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

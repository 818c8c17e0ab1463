import type { EntrantState, RaceState } from '../../journal/rows/race.ts';
import { isUnderWay } from './state.ts';

/** The end of the errand of an entrant or a judge, if it has ended. */
export type ErrandEnd =
  | { readonly is: 'open' }
  | { readonly is: 'made'; readonly sha: string; readonly agent: string }
  | { readonly is: 'over'; readonly why: string };

/** The checks on the merge of a finished entrant. `unmerged`: there is no merge yet. */
export type Judgement = 'unmerged' | 'open' | 'green' | { readonly red: string };

export interface EntrantFacts {
  readonly n: number;
  readonly state: EntrantState;
  readonly errand: ErrandEnd;
  readonly checks: Judgement;
  /** US dollars; null: nobody knows. */
  readonly usd: number | null;
  /** Lines that it changes. */
  readonly lines: number | null;
}

/** The judge's answer. `none`: it failed, or named nobody who is in the race. */
export type Word = 'asked' | { readonly winner: number; readonly why: string } | { readonly none: string };

/** All facts that decide a race. */
export interface RaceFacts {
  readonly state: RaceState;
  /** The race still holds its task: nobody took it over or closed it. */
  readonly holds: boolean;
  readonly first: boolean;
  readonly late: boolean;
  readonly judge: 'command' | 'agent' | 'nobody';
  /** Undefined: no judge was asked. */
  readonly word: Word | undefined;
  readonly entrants: readonly EntrantFacts[];
}

export type RaceStep =
  | { readonly do: 'finish'; readonly n: number; readonly sha: string; readonly agent: string }
  | { readonly do: 'fail'; readonly n: number; readonly why: string }
  /** Like `fail`, and its errand is ended. */
  | { readonly do: 'stop'; readonly n: number; readonly why: string }
  | { readonly do: 'pass'; readonly n: number }
  | { readonly do: 'merge' | 'check'; readonly n: number }
  | { readonly do: 'judge'; readonly by: 'command' | 'agent'; readonly among: readonly number[] }
  | { readonly do: 'win'; readonly n: number; readonly why: string }
  | { readonly do: 'lose' }
  | { readonly do: 'cancel'; readonly why: string };

/** The next steps of a race. Pure, and from the store alone: after a crash the same facts give the same steps. */
export function planRace(facts: RaceFacts): RaceStep[] {
  if (facts.state === 'ended') return [];
  if (!facts.holds) return [{ do: 'cancel', why: 'its task was taken over, or is closed' }];
  const { entrants, first } = facts;
  const steps = entrants.flatMap((one) => stepOf(one, facts));
  // These change who is in the race, so everything else is decided at the next look.
  if (steps.some((step) => step.do !== 'merge' && step.do !== 'check')) return steps;
  const green = entrants.filter((one) => one.state === 'green');
  if (first && green.length > 0) return [{ do: 'win', n: best(green).n, why: 'it passed first' }];
  if (entrants.some(isUnderWay)) return steps;
  return decide(facts, green);
}

function stepOf({ n, state, errand, checks }: EntrantFacts, { late }: RaceFacts): RaceStep[] {
  if (state === 'running') {
    if (errand.is === 'made') return [{ do: 'finish', n, sha: errand.sha, agent: errand.agent }];
    if (errand.is === 'over') return [{ do: 'fail', n, why: errand.why }];
    return late ? [{ do: 'stop', n, why: 'the deadline of the race is over' }] : [];
  }
  if (state !== 'finished') return [];
  if (checks === 'unmerged') return [{ do: 'merge', n }];
  if (checks === 'open') return [{ do: 'check', n }];
  return checks === 'green' ? [{ do: 'pass', n }] : [{ do: 'fail', n, why: checks.red }];
}

/** Everybody has ended: the only one that passes wins, or one of several is chosen. */
function decide({ entrants, judge, word }: RaceFacts, green: readonly EntrantFacts[]): RaceStep[] {
  const [only, second] = green;
  if (!only) {
    const dropped = entrants.every((one) => one.state === 'dropped');
    return [dropped ? { do: 'cancel', why: 'every entrant was dropped' } : { do: 'lose' }];
  }
  if (!second) return [{ do: 'win', n: only.n, why: entrants.length === 1 ? 'it passes' : 'only it passes' }];
  if (judge === 'nobody' && word === undefined) return [{ do: 'win', n: best(green).n, why: reasonOf(green) }];
  if (word === undefined) return judge === 'nobody' ? [] : [{ do: 'judge', by: judge, among: green.map(({ n }) => n) }];
  if (word === 'asked') return [];
  if ('winner' in word && green.some(({ n }) => n === word.winner)) return [{ do: 'win', n: word.winner, why: word.why }];
  const no = 'none' in word ? word.none : `the judge named ${word.winner}, which is not in the race any more`;
  return [{ do: 'win', n: best(green).n, why: `${reasonOf(green)}; ${no}` }];
}

/** The cheapest, then the one that changes least, then the first. A value counts only where it is known of all: an agent that tells no cost may be free. */
function best(green: readonly EntrantFacts[]): EntrantFacts {
  const { usd, lines } = known(green);
  return green.toSorted((a, b) => usd(a) - usd(b) || lines(a) - lines(b) || a.n - b.n)[0]!;
}

function known(green: readonly EntrantFacts[]) {
  const ofAll = (value: (one: EntrantFacts) => number | null) => {
    const all = green.every((one) => value(one) !== null);
    return (one: EntrantFacts) => (all ? (value(one) ?? 0) : 0);
  };
  return { usd: ofAll((one) => one.usd), lines: ofAll((one) => one.lines) };
}

function reasonOf(green: readonly EntrantFacts[]): string {
  const winner = best(green);
  const others = green.filter((one) => one !== winner);
  const { usd, lines } = known(green);
  if (others.every((one) => usd(winner) < usd(one))) return 'it passes, and is the cheapest';
  if (others.every((one) => lines(winner) < lines(one))) return 'it passes, and changes the fewest lines';
  return 'it passes, and nothing tells them apart but their order';
}

/** Kinds of the entrants of a race; null: the kind that the task gets anyway. */
export type EntrantKinds = readonly (string | null)[];

/** The entrants that the `race:` of a task file asks for, as stored. `undefined`: fewer than two are no race. */
export function wantedEntrants(race: string | null): EntrantKinds | undefined {
  const wanted = race === null ? 1 : (JSON.parse(race) as number | string[]);
  const kinds = typeof wanted === 'number' ? Array<null>(wanted).fill(null) : wanted;
  return kinds.length < 2 ? undefined : kinds;
}

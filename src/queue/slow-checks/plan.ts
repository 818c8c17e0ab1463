import type { CheckRun, CheckSpec } from '../snapshot.ts';
import { aboutOf } from '../verdict.ts';
import type { Evidence, SlowCheckPlan, SlowCheckSnapshot, SlowCheckState, SlowCheckStep } from './snapshot.ts';

/** The search of one check through the landed states. */
interface Quest {
  /** Index of the newest good state; all states up to there are good. -1: none. */
  readonly good: number;
  readonly want?: { readonly at: number; readonly why: string };
  readonly found?: Evidence;
  readonly halted?: string;
  /** Id of the run that halts. */
  readonly by?: number | undefined;
}

/**
 * Checks the newest landed state, skipping what landed in between. If it stays red, bisects over the steps since the last good one, down to
 * the task. Names the task for a revert once its state is certainly red and the one before it certainly green. Pure: everything is in the
 * runs, so a crash or a changed decision costs nothing.
 */
export function planSlowChecks(snapshot: SlowCheckSnapshot): SlowCheckPlan {
  const { base, steps, checks, reverts } = snapshot;
  const states = [base, ...steps];
  const quests = checks.map((check) => judged(snapshot, states, check, pursue(snapshot, states, check)));
  const good = Math.min(...quests.map((quest) => quest.good));
  // During a revert everything newer is red because of the culprit: wait for the state without it.
  const busy = snapshot.running.length > 0 || reverts.some((revert) => revert.state === 'open');
  const first = busy ? -1 : quests.findIndex((quest) => quest.want);
  const want = quests[first]?.want;
  const found = busy ? undefined : quests.find((quest) => quest.found)?.found;
  const halt = quests.find((quest) => quest.halted);
  return {
    good: steps.slice(0, Math.max(0, good)).findLast((step) => step.whole),
    check: want && !found ? { ...stateOf(states[want.at]!), check: checks[first]!, why: want.why } : undefined,
    revert: found && { step: found.bad, evidence: found },
    halted: halt?.halted,
    haltedBy: halt?.by,
  };
}

/** By the content that the check looks at in each state. */
function answersIn({ runs, abouts = new Map(), retries }: SlowCheckSnapshot, check: CheckSpec): (state: SlowCheckState) => Answer {
  const answers = answersOf(runs, check.id, retries);
  return ({ tree }) => answers(aboutOf({ abouts }, tree, check.id));
}

const stateOf = ({ commit, tree }: SlowCheckState): SlowCheckState => ({ commit, tree });

function pursue(snapshot: SlowCheckSnapshot, states: readonly SlowCheckState[], check: CheckSpec): Quest {
  const answerOf = answersIn(snapshot, check);
  const answers = states.map(answerOf);
  const newest = states.length - 1;
  const good = answers.findLastIndex((answer) => answer.is === 'green');
  const bad = answers.flatMap((answer, at) => (at > good && answer.ids.length > 0 ? [at] : []));
  const look = (at: number, why: string): Quest => {
    if (answers[at]!.errors < MAX_ERRORS) return { good, want: { at, why } };
    const halted = `${check.name} could not be run on ${short(states[at]!)}, ${MAX_ERRORS} times in a row`;
    return { good, halted, by: answers[at]!.broken };
  };
  const firstBad = bad[0];
  if (firstBad === undefined) return good === newest ? { good } : look(newest, 'the newest landed state');
  // The newest red state first, even when more has landed: with a new tree each time, nothing would ever be red twice.
  if (!bad.some((at) => answers[at]!.is === 'red')) return look(bad.at(-1)!, `${check.name} failed there: does it fail again?`);
  if (firstBad === 0 && answers[0]!.is === 'red') {
    const halted = `${check.name} fails on ${short(states[0]!)} already, before all that furrow landed since: no task is to blame`;
    return { good, halted, by: answers[0]!.ids.at(-1) };
  }
  if (good === -1) return look(0, 'the state before all landings: was it good at all?');
  if (firstBad - good > 1) return look((good + firstBad) >> 1, `looking for the first bad one of ${firstBad - good} steps`);
  if (answers[firstBad]!.is !== 'red') return look(firstBad, 'the first bad one: does it fail again?');
  if (!answers[good]!.steady) return look(good, 'the last good one failed before: does it pass again?');
  return maybeMended(answers, good, firstBad, newest)
    ? look(newest, 'before anything is taken back: is the newest state still bad?')
    : { good, found: evidence(check, states, answers, good) };
}

/** True while states after the culprit are not known to be red: one of them may have fixed it. */
function maybeMended(answers: readonly Answer[], good: number, firstBad: number, newest: number): boolean {
  if (answers[newest]!.ids.length > 0) return false;
  const convicted = Math.max(...answers[good]!.ids, ...answers[firstBad]!.ids);
  // One look is enough. Repeating it until nothing more lands would never end in a busy farm.
  return !answers.slice(firstBad + 1).some((answer) => answer.ids.some((id) => id > convicted));
}

function evidence(check: CheckSpec, states: readonly SlowCheckState[], answers: readonly Answer[], good: number): Evidence {
  const bad = states[good + 1] as SlowCheckStep;
  return { check, good: stateOf(states[good]!), bad, reds: answers[good + 1]!.ids, greens: answers[good]!.ids };
}

/**
 * A task that cannot be reverted, or whose revert did not help, needs a person. The newest state is still checked: it may be green again.
 */
function judged(snapshot: SlowCheckSnapshot, states: readonly SlowCheckState[], check: CheckSpec, quest: Quest): Quest {
  const halted = quest.halted ?? (quest.found && objection(snapshot, quest.found));
  if (halted === undefined) return quest;
  const by = quest.by ?? quest.found?.reds.at(-1);
  const newest = states.length - 1;
  const { errors, is } = answersIn(snapshot, check)(states[newest]!);
  const unknown = is === 'unknown' && errors < MAX_ERRORS;
  return { good: quest.good, halted, by, ...(unknown && { want: { at: newest, why: 'the newest landed state' } }) };
}

function objection(snapshot: SlowCheckSnapshot, { check, bad }: Evidence): string | undefined {
  const tried = snapshot.reverts.find((revert) => revert.step === bad.landed);
  if (tried?.state === 'landed') return `${check.name} fails although ${bad.what}, which turned it red, was taken back`;
  if (tried?.state === 'failed') return `${check.name} fails since ${bad.what}, which could not be taken back`;
  return bad.task === null ? `${check.name} fails since ${bad.what}: nothing of that is taken back` : undefined;
}

const short = ({ commit }: SlowCheckState) => commit.slice(0, 8);

/** Trouble of the machine that came this often in a row will not end by asking again. */
const MAX_ERRORS = 5;

/** The runs of one check on one tree, summed up. */
interface Answer {
  /** The newest run that could answer decides; `suspect`: red, but not often enough to count. */
  readonly is: 'unknown' | 'green' | 'suspect' | 'red';
  /** Ids of the runs behind it: the last ones, all alike. */
  readonly ids: readonly number[];
  /** Every run said this, or enough of the last ones did. */
  readonly steady: boolean;
  /** Later runs that could not answer, and the id of the last of them. */
  readonly errors: number;
  readonly broken?: number;
}

const NOTHING: Answer = { is: 'unknown', ids: [], steady: false, errors: 0 };

/** The answers of one check, by tree. An `error` says nothing about the tree, whatever came before it. */
function answersOf(runs: readonly CheckRun[], check: string, retries: number): (tree: string) => Answer {
  const known = new Map<string, Answer>();
  for (const run of runs) {
    if (run.check !== check) continue;
    const before = known.get(run.tree) ?? NOTHING;
    known.set(run.tree, run.outcome === 'error' ? { ...before, errors: before.errors + 1, broken: run.id } : next(before, run, retries));
  }
  return (tree) => known.get(tree) ?? NOTHING;
}

function next(before: Answer, run: CheckRun, retries: number): Answer {
  const passed = run.outcome === 'pass';
  const same = before.is === 'unknown' || passed === (before.is === 'green');
  const ids = same ? [...before.ids, run.id] : [run.id];
  const enough = ids.length > retries;
  const alike = before.is === 'unknown' || (same && before.steady);
  return { is: passed ? 'green' : enough ? 'red' : 'suspect', ids, steady: alike || enough, errors: 0 };
}

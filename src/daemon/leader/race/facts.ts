import { costsOf } from '../../../agents/agent/usage.ts';
import { choiceInAnswer } from '../../../queue/race/judgement.ts';
import type { EntrantFacts, ErrandEnd, Judgement, RaceFacts, Word } from '../../../queue/race/plan.ts';
import { type Entrant, entrantsOf, type Race } from '../../../queue/race/store.ts';
import { type Attempt, lastAttemptAt } from '../../../work/attempt/store.ts';
import { errandOf } from '../../../work/errand/store.ts';
import { findTaskRow, type Task, tasksOf } from '../../../work/task/store.ts';
import { judgeKey } from '../../acts/keys.ts';
import type { Farm } from '../../farm/farm.ts';
import type { Performer } from '../../farm/performer.ts';
import { describeRed } from '../queue/hand-back-text.ts';
import type { LoopState } from '../state.ts';
import { checksFor, runsAbout, type TreeVerdict, treeVerdict } from './verdict.ts';

/** A race with the facts for its decision, and what its steps need. */
export interface RaceLook {
  readonly race: Race;
  readonly task: Task | undefined;
  readonly entrants: readonly Entrant[];
  /** By tree. */
  readonly verdicts: ReadonlyMap<string, TreeVerdict>;
  readonly facts: RaceFacts;
}

export async function lookAtRace(farm: Farm, state: LoopState, perform: Performer, race: Race): Promise<RaceLook> {
  const { db, config } = farm;
  const task = await findTaskRow(db, race.task);
  const entrants = await entrantsOf(db, race.id);
  const verdicts = await verdictsOf(farm, state, task, entrants);
  const facts: RaceFacts = {
    state: race.state,
    holds: task?.standing === 'leased' && task.attempt === race.token && task.taken === null,
    first: race.first === 1,
    late: race.deadline !== null && race.deadline <= farm.clock.awake(),
    judge: config.race.judge !== null ? 'command' : config.race.reviewer !== null ? 'agent' : 'nobody',
    word: await wordOf(farm, perform, race),
    entrants: await entrantFacts(farm, state, entrants, verdicts),
  };
  return { race, task, entrants, verdicts, facts };
}

async function verdictsOf(
  farm: Farm,
  state: LoopState,
  task: Task | undefined,
  entrants: readonly Entrant[],
): Promise<Map<string, TreeVerdict>> {
  const trees = [...new Set(entrants.flatMap((one) => (one.state === 'finished' && one.tree !== null ? [one.tree] : [])))];
  if (trees.length === 0) return new Map();
  const checks = await checksFor(farm, { check: task?.check ?? null });
  const runs = await runsAbout(farm, state.queue, checks, trees);
  return new Map(trees.map((tree) => [tree, treeVerdict(runs, tree, checks, farm.config.queue.retries)]));
}

async function entrantFacts(
  farm: Farm,
  state: LoopState,
  entrants: readonly Entrant[],
  verdicts: ReadonlyMap<string, TreeVerdict>,
): Promise<EntrantFacts[]> {
  const refs = entrants.map((one) => one.ref);
  const costs = await costsOf(farm.db, refs);
  const rows = new Map((await tasksOf(farm.db, refs)).map((row) => [row.ref, row]));
  const facts: EntrantFacts[] = [];
  for (const { n, state: at, ref, tree, lines } of entrants) {
    const errand = at === 'running' ? errandEnd(rows.get(ref), await lastAttemptAt(farm.db, ref)) : OPEN;
    facts.push({ n, state: at, errand, checks: await judged(farm, state, tree, verdicts), usd: costs.get(ref)?.usd ?? null, lines });
  }
  return facts;
}

const OPEN: ErrandEnd = { is: 'open' };

/** The end of an errand, if it has ended. One that needs a person counts as ended: a race goes on without it. */
export function errandEnd(
  row: Pick<Task, 'standing' | 'blocked' | 'block_reason' | 'unchanged'> | undefined,
  last: Pick<Attempt, 'outcome' | 'sha' | 'agent' | 'reason'> | undefined,
): ErrandEnd {
  if (!row) return { is: 'over', why: 'its errand is gone' };
  if (row.standing === 'parked' || (row.standing === 'open' && row.blocked === 1))
    return { is: 'over', why: row.block_reason ?? last?.reason ?? 'it needs a person' };
  if (row.standing !== 'landed') return OPEN;
  if (last?.outcome === 'submitted' && last.sha !== null) return { is: 'made', sha: last.sha, agent: last.agent };
  return { is: 'over', why: row.unchanged === null ? (last?.reason ?? 'it was ended') : `no change is needed: ${row.unchanged}` };
}

async function judged(
  farm: Farm,
  { queue }: LoopState,
  tree: string | null,
  verdicts: ReadonlyMap<string, TreeVerdict>,
): Promise<Judgement> {
  const verdict = tree === null ? undefined : verdicts.get(tree);
  if (tree === null || !verdict) return 'unmerged';
  if (verdict.is !== 'red') return verdict.is;
  const { report } = await describeRed(farm.db, { checks: [verdict.check], entries: [], head: queue.head }, verdict.check.id, tree);
  return { red: report };
}

/** The judge's answer. A command that a crash cut short is asked again. */
async function wordOf({ db }: Farm, perform: Performer, { id, judge, picked, why }: Race): Promise<Word | undefined> {
  if (judge === null) return undefined;
  if (picked !== null) return picked > 0 ? { winner: picked, why: why ?? '' } : { none: why ?? 'the judge chose nobody' };
  if (judge === 'command') {
    if (perform.failing(judgeKey(id))) return { none: 'the judge could not be run' };
    return perform.busy(judgeKey(id)) ? 'asked' : undefined;
  }
  const errand = await errandOf(db, judge);
  if (errand?.result != null) return choiceInAnswer(errand.result) ?? { none: 'the answer of the judge names no winner' };
  const end = errandEnd(await findTaskRow(db, judge), await lastAttemptAt(db, judge));
  return end.is === 'over' ? { none: `the judge gave no answer: ${end.why}` } : 'asked';
}

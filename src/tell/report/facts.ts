import type { Out } from '../../api/contract.ts';
import { flakeLedger } from '../../queue/flakes.ts';
import { levelOf } from '../../work/question/attention-order.ts';
import { agentsIn, begunIn, costIn, kindsIn } from './agents-and-cost.ts';
import { landedIn } from './landed.ts';
import { plottedLanes, runsIn, spentIn } from './lanes.ts';
import { iso, naming, partsOf } from './names.ts';
import { percentilesOf } from './percentiles.ts';
import type { ReportQuestion, ReportRows, ReportRun } from './rows.ts';
import { waitingIn } from './waiting.ts';

export type Facts = Out<'report'>;

/** A run as facts: the output of `furrow report --json`, from which the text and the page are made. */
export function factsOf(rows: ReportRows): Facts {
  const landed = landedIn(rows);
  return {
    farm: { ...rows.farm, made: iso(rows.now) },
    period: periodOf(rows),
    tasks: counted(rows.tasks.map(({ state }) => state)),
    landings: rows.landings.filter(({ at }) => at >= rows.since).length,
    landed,
    lead: percentilesOf(landed.flatMap(({ lead_ms: ms }) => ms ?? [])),
    attempts: { total: begunIn(rows).length, outcomes: counted(begunIn(rows).map(({ outcome }) => outcome ?? 'running')) },
    cost: costIn(rows),
    agents: agentsIn(rows, landed),
    kinds: kindsIn(rows, landed),
    waiting: waitingIn(rows),
    checks: checksIn(rows),
    conflicts: { predicted: rows.events.filter(({ kind }) => kind === 'conflict.predicted').length, entries: endedAs(rows, 'conflict') },
    rejected: endedAs(rows, 'rejected'),
    flakes: flakesIn(rows),
    questions: questionsIn(rows),
    reviews: reviewsIn(rows),
    races: racesIn(rows),
    taken_back: takenBackIn(rows),
    left: leftOf(rows),
    plots: { lanes: plottedLanes(rows), spent: spentIn(rows), runs: runsIn(rows) },
  };
}

function counted(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}

/** A period that goes back to the beginning starts with the oldest thing that is known. */
function periodOf({ now, since, sinceWords, kept, oldestRun, attempts, landings }: ReportRows): Facts['period'] {
  const known = [kept.firstAt, ...attempts.map(({ started }) => started), ...landings.map(({ at }) => at)].filter((at) => at > 0);
  const from = since > 0 ? since : Math.min(now, ...known);
  const lost = [
    ...(kept.first > 1 && kept.firstAt > from
      ? [
          `events before ${iso(kept.firstAt)} are no longer kept: of the time before, the timeline, waiting, conflicts and some times to land are missing`,
        ]
      : []),
    ...(oldestRun !== null && oldestRun > from ? [`runs of checks before ${iso(oldestRun)} are no longer kept`] : []),
  ];
  const missing = lost.length === 0 ? null : lost.join('; ');
  return { from: iso(from), to: iso(now), since: sinceWords, missing, seq: { first: kept.first, last: kept.last } };
}

function endedAs(rows: ReportRows, end: 'conflict' | 'rejected'): Facts['rejected'] {
  const named = naming(rows);
  return rows.entries.flatMap(({ task, state, ended, reason }) =>
    state === end && ended !== null && ended >= rows.since ? [{ ...named(task), at: iso(ended), reason }] : [],
  );
}

function reviewsIn(rows: ReportRows): Facts['reviews'] {
  const named = naming(rows);
  const count = (state: string) => rows.reviews.filter((one) => one.state === state).length;
  return {
    asked: rows.reviews.length,
    approved: count('approved'),
    findings: count('findings'),
    overruled: count('overruled'),
    list: rows.reviews.map(({ task, round, state, reviewer, at }) => ({ ...named(task), round, state, reviewer, at: iso(at) })),
  };
}

function racesIn(rows: ReportRows): Facts['races'] {
  const named = naming(rows);
  return rows.races.map(({ id, task, outcome, winner, why, at }) => {
    const entrants = rows.entrants.filter(({ race }) => race === id);
    const won = entrants.find(({ n }) => n === winner)?.agent ?? null;
    return { ...named(task), entrants: entrants.length, outcome: outcome ?? 'running', winner: won, why, at: iso(at) };
  });
}

function takenBackIn(rows: ReportRows): Facts['taken_back'] {
  const named = naming(rows);
  const reverted = rows.reverts
    .filter(({ entry }) => entry !== null)
    .map(({ task, check, at }) => ({ ...named(task), at: iso(at), why: `the slow check ${check} is red with it and green without it` }));
  const removed = rows.events
    .filter(({ kind, task }) => kind === 'landing.removed' && task !== null)
    .map(({ task, at }) => ({ ...named(task!), at: iso(at), why: 'a person took it out of the target' }));
  return [...reverted, ...removed].sort((a, b) => a.at.localeCompare(b.at));
}

const OVER: ReadonlySet<string> = new Set(['landed', 'archived']);

const leftOf = ({ tasks }: Pick<ReportRows, 'tasks'>): Facts['left'] =>
  tasks.filter(({ state }) => !OVER.has(state)).map(({ id, phase, title, state, reason }) => ({ task: id, phase, title, state, reason }));

/** Each check by its name: its runs, its reds, and how long it took when it could answer. */
function checksIn({ runs }: Pick<ReportRows, 'runs'>): Facts['checks'] {
  return flakeLedger(runs).map(({ name, runs: count, passes, fails, errors, flakes }) => ({
    name,
    runs: count,
    passes,
    fails,
    errors,
    flakes,
    ...percentilesOf(runs.filter((run) => run.name === name && run.outcome !== 'error').map(({ ms }) => ms)),
  }));
}

const keyOf = ({ tree, about, check }: ReportRun) => `${about ?? tree} ${check}`;

/** Every red on a tree that also passed, the oldest first. */
function flakesIn({ runs }: Pick<ReportRows, 'runs'>): Facts['flakes'] {
  const green = new Set(runs.filter(({ outcome }) => outcome === 'pass').map(keyOf));
  return runs
    .filter((run) => run.outcome === 'fail' && green.has(keyOf(run)))
    .toSorted((a, b) => a.at - b.at)
    .map(({ name, tree, at }) => ({ check: name, tree, at: iso(at) }));
}

/** The questions to a person, the oldest first, with the time that each was open. */
function questionsIn(rows: ReportRows): Out<'report'>['questions'] {
  const words = new Set(rows.events.filter(({ kind }) => kind === 'question.answered').map(({ data }) => data['question']));
  const list = rows.questions.map((row) => ({
    id: String(row.id),
    kind: row.kind,
    level: levelOf(row.kind),
    subject: subjectOf(row),
    reason: row.reason,
    since: iso(row.since),
    closed: row.closed === null ? null : iso(row.closed),
    open_ms: (row.closed ?? rows.now) - row.since,
    // The code that hands the answer to an agent closes its question, with these words.
    answered: row.closed !== null && (words.has(row.id) || (row.answer?.startsWith('answered') ?? false)),
  }));
  const closed = list.filter((one) => one.closed !== null);
  return {
    asked: list.length,
    answered: list.filter((one) => one.answered).length,
    open: list.length - closed.length,
    time: percentilesOf(closed.map((one) => one.open_ms)),
    list,
  };
}

const subjectOf = ({ subject, agent }: ReportQuestion) =>
  subject.includes('/') && !subject.includes(':') ? partsOf(subject).task : (agent ?? subject);

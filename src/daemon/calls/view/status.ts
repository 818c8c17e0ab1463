import { waitingFor } from '../../../agents/message/read.ts';
import { HUMAN } from '../../../agents/message/text.ts';
import type { Caller } from '../../../api/caller.ts';
import type { Out } from '../../../api/contract.ts';
import { toWall } from '../../../platform/clock.ts';
import { changeSize } from '../../../repo/merge/changed-files.ts';
import { countsOf } from '../../../tell/face/states.ts';
import type { AskedWork } from '../../../tell/notice/rule.ts';
import { levelOf, ranked } from '../../../work/question/attention-order.ts';
import { splitRef } from '../../../work/task/id.ts';
import { totals } from '../../farm/cost.ts';
import { outputIn } from '../../farm/failed-output.ts';
import { aboutOf, QUESTION } from '../../farm/failing.ts';
import type { Farm } from '../../farm/farm.ts';
import { askedWork } from '../../leader/asked-work.ts';
import { iso, type Shown } from '../context.ts';
import { shownTo } from '../obey-rights.ts';
import type { Asked, Reading } from './reading.ts';

/** The farm in numbers, its agents, and what this caller may see of the questions to a person. */
export async function statusOf(reading: Reading, caller: Caller): Promise<Out<'status'>> {
  const { farm, pid, state, machine } = reading.desk;
  const questions = await reading.questions();
  return {
    farm: { ...(await reading.standing()), pid, version: farm.version },
    agents: await reading.agents(),
    tasks: countsOf(await reading.board()),
    target: farm.target,
    queue: {
      ...(await reading.target()),
      paused: await reading.paused(),
      halted: haltIn(questions)?.reason ?? null,
      pending: pendingLines(state),
      depth: (await reading.open()).length,
      checking: state.queue.running.size,
      setups: [...state.queue.running.values()].filter((run) => machine.checksInSetup.has(run.log)).length,
      hanging: (await reading.hanging()).map((one) => one.text),
    },
    inbox: await waitingFor(farm.db, HUMAN),
    attention: await attentionOf(reading, ranked(shownTo(caller, questions))),
    config: configLine(farm),
    isolation: { level: farm.isolation.level, why: farm.isolation.why },
    cost: await totals(farm),
    ...(await joinedHosts(reading)),
  };
}

/** The machines that joined; nothing on one machine alone. */
async function joinedHosts({ desk: { hosts } }: Reading): Promise<Pick<Out<'status'>, 'hosts'>> {
  const there = (await hosts.joined()).filter(({ state }) => state !== 'removed');
  return there.length === 0 ? {} : { hosts: there.map(({ name, state, checking, checks }) => ({ name, state, checking, checks })) };
}

/** The question that says why the queue is halted. */
export const haltIn = (questions: readonly Asked[]) => questions.find(({ kind }) => kind === 'queue');

async function attentionOf({ desk: { farm, state } }: Reading, rows: readonly Asked[]): Promise<Out<'status'>['attention']> {
  const works = await askedWork(farm, state.queue, rows);
  return Promise.all(rows.map(async (row) => listed(farm, row, await shownWork(farm, state, works.get(row.id)))));
}

async function shownWork(farm: Farm, { queue }: Shown, work: AskedWork | undefined) {
  if (!work) return null;
  const { commit, target, checks, ...rest } = work;
  const head = target === queue.target ? queue.head : '';
  const change = commit === null ? null : await changeSize(farm.repo, { target, head, commit });
  return { ...rest, commit, checks: [...checks], change: change && { ...change, paths: [...change.paths] } };
}

function listed(farm: Farm, row: Asked, work: Out<'status'>['attention'][number]['work']): Out<'status'>['attention'][number] {
  return {
    id: String(row.id),
    kind: row.kind,
    level: levelOf(row.kind),
    subject: subjectOf(row),
    reason: row.reason,
    since: iso(row.since),
    agent: row.agent,
    request: requestOf(row),
    output: row.kind === QUESTION ? null : (outputIn(row.data) ?? null),
    expires: row.expires === null ? null : iso(toWall(farm.clock, row.expires)),
    work,
  };
}

/** The slow checks and pushes that are still to come, a line each. */
function pendingLines({ slowChecks, unpushed, pushFailed }: Shown): string[] {
  const failed = pushFailed ? ` (the last push failed: ${pushFailed.kind})` : '';
  return [
    ...(slowChecks.wanted ? [`slow check ${slowChecks.wanted.name} on ${slowChecks.wanted.tree.slice(0, 8)}`] : []),
    ...(unpushed ? [`push of ${unpushed.commit.slice(0, 8)} to ${unpushed.remote}${failed}`] : []),
  ];
}

function configLine(farm: Farm) {
  const { version, differs, committedAs } = farm.inputs.now;
  return { source: version.source, commit: version.commit ?? committedAs, since: iso(version.at), differs: differs ?? null };
}

/** The subject of a question, by the name that people know. */
export function subjectOf({ kind, subject, data }: { kind: string; subject: string; data: string | null }): string {
  // A pattern has slashes of its own.
  if (kind === 'pattern') return subject;
  if (kind !== QUESTION) return splitRef(subject).id;
  const { agent, tasks } = aboutOf(data);
  return tasks.length === 1 ? splitRef(tasks[0]!).id : (agent ?? subject);
}

/** The exact request behind a question; what is stored beside the others is not one. */
function requestOf({ kind, data }: { kind: string; data: string | null }): unknown {
  if (data === null || kind === QUESTION || OUTPUTS.has(kind)) return null;
  return JSON.parse(data) as unknown;
}

/** Kinds of questions about a failed check. */
const OUTPUTS = new Set(['queue', 'after', 'parked', 'rejected', 'conflict']);

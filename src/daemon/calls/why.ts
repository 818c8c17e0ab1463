import type { Selectable } from 'kysely';
import { agentNamed, findAgent } from '../../agents/agent/store.ts';
import { stateForPeople } from '../../agents/supervision/watched.ts';
import type { Out } from '../../api/contract.ts';
import type { EntryRow } from '../../journal/rows/entry.ts';
import { watchTime } from '../../platform/clock.ts';
import { explainEntry } from '../../queue/explain.ts';
import { landingsWith } from '../../queue/landing/read.ts';
import { reviewLine } from '../../queue/review/report.ts';
import { reviewRule } from '../../queue/review/rule.ts';
import { reviewsOf } from '../../queue/review/store.ts';
import { STOPPED } from '../../tell/face/standing.ts';
import { outcomeText } from '../../tell/face/states.ts';
import { lastAttemptAt, readAttempt } from '../../work/attempt/store.ts';
import { entriesOfTask, findEntry } from '../../work/entry/read.ts';
import { askedAtSubmit } from '../../work/entry/submitter.ts';
import type { Reason } from '../../work/task/explain.ts';
import { reworkOf } from '../../work/task/rework.ts';
import type { Task } from '../../work/task/store.ts';
import { findTaskRow } from '../../work/task/store.ts';
import { listAgents, stateOf } from '../farm/agent-list.ts';
import { openHalt } from '../farm/failed-output.ts';
import { failingAbout } from '../farm/failing.ts';
import type { Farm } from '../farm/farm.ts';
import { type FarmRows, readRows } from '../farm/snapshot.ts';
import { isUnread, reportedIn, rulesFor } from '../leader/queue/approval.ts';
import { missingLabels } from '../leader/queue/choose-slot.ts';
import { unchangedIn } from '../leader/queue/landing.ts';
import { heldByLeases } from '../leader/queue/leased-paths.ts';
import { queueSnapshot } from '../leader/queue/snapshot.ts';
import { waitingElsewhere } from '../leader/queue/switch-target.ts';
import { notRunFor } from './checks-not-run.ts';
import type { Desk } from './context.ts';
import { raceReasons } from './race-reasons.ts';
import { leaseReasons } from './show-leases.ts';
import { findWork } from './subject.ts';
import { listTasks, unchangedReason } from './view/tasks.ts';

const onWatch = ({ clock }: Pick<Farm, 'clock'>, wall: number) => watchTime(wall, clock.now());

/** Explains the state of a task, an agent or the queue. */
export async function why(desk: Desk, subject: string): Promise<Out<'why'>> {
  const { farm } = desk;
  await desk.readBoard();
  const numbered = /^agent-\d+$/.test(subject);
  const agent = numbered ? await agentNamed(farm.db, subject) : await findAgent(farm.db, subject);
  if (agent) {
    const reasons = [...(await whyAgent(desk, agent)), ...(await failingAbout(farm.db, { agent: agent.name }))];
    const listed = listAgents(await readRows(farm), farm.clock).find((one) => one.name === agent.name);
    return { subject: agent.name, state: listed?.state ?? agent.state, reasons };
  }
  const { task, name, ref } = await findWork(farm, subject);
  const entries = await entriesOfTask(farm.db, ref);
  const entry = entries.find((one) => one.ended === null);
  const inQueue = async (id: number) => [...(await whyEntry(desk, id)), ...(await failingAbout(farm.db, { task: ref }))];
  if (!task) {
    const last = entry ?? entries.at(-1)!;
    return { subject: name, state: last.state, reasons: entry ? await inQueue(entry.id) : await whyEnded(farm, last) };
  }
  const rows = await readRows(farm);
  const { lines, reasons } = await listTasks(desk, rows);
  const line = lines.find((one) => one.phase === task.phase && one.id === task.id)!;
  if (entry) return { subject: task.id, state: line.state, reasons: await inQueue(entry.id) };
  const waits = reasons.get(task.ref) ?? [];
  const own = [
    ...(line.state === 'landed' ? [] : farmStopped(farm)),
    ...waits,
    ...(waits.some(({ code }) => code === 'preflight') ? setupRuns(desk) : []),
  ];
  const attempt = await lastAttemptAt(farm.db, task.ref);
  const running =
    attempt && attempt.state !== 'ended'
      ? [
          {
            code: 'running',
            text: `${attempt.agent} works on it, attempt ${attempt.n}, since ${onWatch(farm, attempt.started)}`,
            refs: [attempt.agent],
          },
          ...halt(farm, rows, attempt),
          ...(attempt.state === 'starting' ? setupRuns(desk) : []),
          ...(await leaseReasons(farm, (lease) => lease.attempt === attempt.id)),
        ]
      : [];
  const before =
    attempt?.outcome && attempt.outcome !== 'submitted'
      ? [
          {
            code: 'last-attempt',
            text: `attempt ${attempt.n} by ${attempt.agent} ended: ${outcomeText(attempt.outcome, attempt.reason)}`,
            refs: [attempt.agent],
          },
        ]
      : [];
  const landed =
    line.state === 'landed'
      ? task.unchanged !== null
        ? [unchangedReason(task.unchanged)]
        : task.purpose !== 'work'
          ? []
          : [
              {
                code: 'landed',
                text: task.commit ? `landed as ${task.commit}` : 'the board says done',
                refs: task.commit ? [task.commit] : [],
              },
            ]
      : [];
  const last = line.state === 'landed' ? entries.at(-1) : undefined;
  return {
    subject: task.id,
    state: line.state,
    reasons: [
      ...running,
      ...(await raceReasons(farm, task.ref, reasons)),
      ...own,
      ...before,
      ...(running.length > 0 ? [] : failedCheck(task)),
      ...landed,
      ...(last ? await notRun(farm, last.id) : []),
      ...(await failingAbout(farm.db, { task: task.ref })),
    ],
  };
}

/** The reason before all others, in a farm that a person stopped. */
const farmStopped = (farm: Farm): Reason[] =>
  farm.stopped() === undefined ? [] : [{ code: 'stopped', text: `the farm is stopped: ${STOPPED}`, refs: [] }];

/** The outcome of a branch that belongs to no task. */
async function whyEnded(farm: Farm, { id, state, reason }: Pick<Selectable<EntryRow>, 'id' | 'state' | 'reason'>): Promise<Reason[]> {
  const [landing] = state === 'landed' ? await landingsWith(farm.db, id) : [];
  if (!landing) return [{ code: 'ended', text: reason ?? state, refs: [] }];
  const removed = landing.removed === null ? '' : ', and was taken out again by a person';
  const text = `landed on ${landing.target} as ${landing.commit}${removed}`;
  return [{ code: 'landed', text, refs: [landing.commit] }, ...(await notRun(farm, id))];
}

/** The checks that were not run for an entry that landed. */
async function notRun({ db }: Farm, entry: number): Promise<Reason[]> {
  const [landing] = await landingsWith(db, entry);
  const names = landing && (await notRunFor(db, [landing])).get(landing.commit);
  return names?.length ? [{ code: 'not-run', text: `not run, nothing in their paths changed: ${names.join(', ')}`, refs: [] }] : [];
}

/** Explains the state of an open entry. One whose merge could not be computed is left out of the queue's plans for a while. */
export async function whyEntry(desk: Desk, id: number): Promise<Reason[]> {
  const { farm, state } = desk;
  const elsewhere = (await waitingElsewhere(farm, state.queue.target)).get(id);
  if (elsewhere) return [{ code: 'other-target', text: elsewhere, refs: [] }];
  const snapshot = await queueSnapshot(farm, state.queue, true);
  const row = await findEntry(farm.db, id);
  if (row && snapshot.entries.some((one) => one.id === id)) {
    const halt = await openHalt(farm.db);
    const place = explainEntry(snapshot, id).map((one) =>
      one.code === 'halted' && halt?.output ? { ...one, lines: halt.output.lines } : one,
    );
    const runs = [...state.queue.running.values()].filter((run) => run.chain.includes(id));
    const trees = runs.map((run) => run.tree);
    const same = [...new Set(trees.flatMap((tree) => unchangedIn(snapshot, tree)))];
    const untouched = same.length > 0 ? [{ code: 'untouched', text: `nothing in the paths of ${same.join(', ')} changed`, refs: [] }] : [];
    const resources = await leaseReasons(farm, ({ holder }) => holder.startsWith('check:queue:'));
    const asked = [...(await reviewsFor(farm, row)), ...(await yesOf(farm, row))];
    const onHosts = new Set(runs.flatMap(({ host, name }) => (host === undefined ? [] : [`${name} runs on ${host}`])));
    const machines = [...onHosts].map((text) => ({ code: 'host', text, refs: [] }));
    const missing = snapshot.checks.flatMap((check) => {
      const labels = missingLabels(state.queue, check);
      if (labels.length === 0) return [];
      return [
        {
          code: 'no-host',
          text: `${check.name} waits for a machine with ${labels.join(', ')}; none takes checks now: furrow hosts`,
          refs: [],
        },
      ];
    });
    return [...place, ...machines, ...missing, ...resources, ...untouched, ...(await hangingWith(desk, id)), ...asked];
  }
  if (row && isUnread(row))
    return [{ code: 'approval', text: 'what it changes is being read: some of it may need your approval', refs: [] }];
  const leased = row && (await heldByLeases(farm)).get(id);
  if (leased) return [{ code: 'lease', text: leased, refs: [] }];
  return [{ code: 'merge', text: row?.reason ?? 'could not be merged, and is tried again', refs: [] }];
}

/** The reviews of an entry's task so far, and the rule that asks for them. */
async function reviewsFor(farm: Farm, row: Selectable<EntryRow>): Promise<Reason[]> {
  const told = (await reviewsOf(farm.db, [row.task])).filter(({ state }) => state !== 'dropped');
  const reviewed = told.map((one) => ({ code: 'reviewed', text: `review, ${reviewLine(one)}`, refs: [one.sha] }));
  const paths = JSON.parse(row.paths ?? '[]') as string[];
  const rule = reviewRule(farm.config.review, askedAtSubmit(row).by, await findTaskRow(farm.db, row.task), paths);
  const needs = rule === undefined ? [] : [{ code: 'review-rule', text: `needs a review because of ${rule}`, refs: [] }];
  return [...reviewed, ...needs];
}

/** The rules that ask for a person's approval of an entry, or the note that it was given. */
async function yesOf(farm: Farm, row: Selectable<EntryRow>): Promise<Reason[]> {
  const task = await findTaskRow(farm.db, row.task);
  const rules = rulesFor(farm.config, row, task);
  const reported = reportedIn(farm.config, row);
  const look = reported.length > 0 ? [{ code: 'reported', text: `changes ${reported.join(', ')}: worth a look`, refs: [] }] : [];
  if (row.approved !== null)
    return [{ code: 'approved', text: `you approved ${row.sha.slice(0, 8)} at ${onWatch(farm, row.approved)}`, refs: [row.sha] }, ...look];
  const needs = { code: 'approval-rule', text: `needs your approval because of ${rules.join(', and of ')}`, refs: [] };
  return rules.length === 0 ? look : [needs, ...look];
}

/** Checks of stacks with this entry that hang. */
async function hangingWith({ machine, state }: Desk, id: number): Promise<Reason[]> {
  const own = new Set([...state.queue.running.values()].filter((run) => run.chain.includes(id)).map((run) => run.log));
  if (own.size === 0) return [];
  return (await machine.hangingChecks()).filter((one) => own.has(one.log)).map(({ text }) => ({ code: 'hanging', text, refs: [] }));
}

/** The check that its work was sent back for. */
function failedCheck(task: Task): Reason[] {
  const output = reworkOf(task)?.output;
  if (!output) return [];
  const how = output.detail ? ` (${output.detail})` : '';
  return [
    { code: 'output', text: `${output.check} failed${how}. Output: ${output.path}; furrow logs ${task.id}`, refs: [], lines: output.lines },
  ];
}

/** The reason why its agent waits: a permission, an answer, a login, its provider. */
function halt({ clock }: Pick<Farm, 'clock'>, rows: FarmRows, attempt: FarmRows['attempts'][number]) {
  const found = stateOf(rows, attempt, clock.awake());
  const derived = found && stateForPeople(rows.supervision.get(attempt.id), found);
  if (derived?.state !== 'limited' && derived?.state !== 'waiting') return [];
  const { state, detail, text, until } = derived;
  const { account } = JSON.parse(attempt.settings ?? '{}') as { account?: string };
  const what = [
    `${attempt.agent} is ${state}`,
    detail && detail !== state ? `(${detail})` : '',
    until ? `until ${watchTime(until, clock.now())}` : '',
    account === undefined ? '' : `with the account ${account}`,
  ];
  return [{ code: detail ?? state, text: `${what.filter(Boolean).join(' ')}${text ? `: ${text}` : ''}`, refs: [attempt.agent] }];
}

/** Set-up that runs now: an attempt that starts waits for it, and so does the first check of the head. */
function setupRuns({ farm, machine: { setups } }: Pick<Desk, 'farm' | 'machine'>): Reason[] {
  return [...setups.running.values()].map(({ commands, since, log }) => ({
    code: 'setup',
    text: `waits for set-up (${commands.join('; ')}), which runs since ${onWatch(farm, since)}. Output: ${log}`,
    refs: [log],
  }));
}

async function whyAgent(
  { farm, machine }: Desk,
  agent: { name: string; state: string; paused: number; phase: string; attempt: number | null },
) {
  if (agent.attempt !== null) {
    const attempt = await readAttempt(farm.db, agent.attempt);
    return [
      {
        code: 'running',
        text: `works on ${attempt.task}, attempt ${attempt.n}, since ${onWatch(farm, attempt.started)}`,
        refs: [attempt.task],
      },
      ...(attempt.state === 'starting' ? setupRuns({ farm, machine }) : []),
      ...(await leaseReasons(farm, (lease) => lease.attempt === attempt.id)),
    ];
  }
  if (agent.paused) return [{ code: 'paused', text: `it is paused; furrow resume ${agent.name}`, refs: [] }];
  if (agent.state === 'stopped') return [{ code: 'stopped', text: `it is stopped; furrow work ${agent.phase} brings it back`, refs: [] }];
  return [{ code: 'no-task', text: 'no task is ready for it; furrow plan says why', refs: [] }];
}

import { afterAttempt, type Consequences } from '../../../agents/agent/after-attempt.ts';
import { advanceAgent } from '../../../agents/agent/store.ts';
import { endLeasesOf } from '../../../agents/lease/store.ts';
import { append } from '../../../journal/event.ts';
import type { Tx } from '../../../journal/store.ts';
import type { Unlanded } from '../../../repo/merge/unlanded.ts';
import { outcomeText } from '../../../tell/face/states.ts';
import { givenUp, readSaid } from '../../../work/attempt/end-report.ts';
import { resultIn } from '../../../work/attempt/evidence.ts';
import { type Attempt, advanceAttempt, readAttempt } from '../../../work/attempt/store.ts';
import { submitEntry } from '../../../work/entry/store.ts';
import { noteResult } from '../../../work/errand/store.ts';
import { closeAgentQuestions, closeTaskQuestions, raiseQuestion } from '../../../work/question/store.ts';
import { splitRef } from '../../../work/task/id.ts';
import { type Rework, reworkOf } from '../../../work/task/rework.ts';
import { advance, readTask, type Task, type Want } from '../../../work/task/store.ts';
import { type Taken, takenOf } from '../../../work/task/taken-over.ts';
import type { Ended } from '../../acts/attempt-end/arguments.ts';
import { targetOf } from '../../farm/target-of.ts';
import type { Grounds } from '../act-half.ts';
import { landRule } from '../queue/approval.ts';
import { leaseWork } from './attempt-leases.ts';

/** Stores the end of an attempt in one transaction: the attempt, its task, the agent set free, and the entry if it was submitted. */
export async function settleAttempt(tx: Tx, farm: Grounds, attemptId: number, found: Ended, now: number): Promise<void> {
  const gaveUp = givenUp(await readAttempt(tx, attemptId));
  // A person's "give up" counts, however the attempt ended, even at that very moment.
  const result: Ended = gaveUp === undefined ? found : { ...found, outcome: 'stopped', reason: gaveUp };
  const { outcome, reason, sha } = result;
  const attempt = await advanceAttempt(tx, attemptId, { on: 'ended' }, { ended: now, outcome, reason, sha });
  if (!attempt) return;
  await advanceAgent(tx, attempt.agent, { on: 'freed', attempt: attemptId }, now);
  await closeAgentQuestions(tx, attempt.agent, `attempt ${attempt.n} is over`, now);
  const task = await readTask(tx, attempt.task);
  const ordinary = afterAttempt(result.outcome, result.reason, task, farm.config.attempts, farm.clock.awake());
  const after =
    gaveUp === undefined
      ? forErrand(task, ordinary)
      : { ...ordinary, event: task.purpose === 'work' ? ('parked' as const) : ('answered' as const) };
  const settled: Settled = { attempt, task, result, after };
  const applied = await advance(tx, attempt.task, { on: after.event, token: attempt.n }, now, changesOf(settled));
  if (applied && after.event === 'submitted') await leaseWork(tx, attempt, result.leases ?? []);
  await endLeasesOf(tx, attemptId, `attempt ${attempt.n} is over`, farm.config.resources, now);
  const about = { agent: attempt.agent, task: attempt.task, attempt: attempt.n };
  const data = { outcome, reason, sha, kept: result.kept };
  const text = `${attempt.agent} ends ${splitRef(attempt.task).id}, attempt ${attempt.n}: ${outcomeText(outcome, reason)}`;
  await append(tx, { kind: 'attempt.ended', ...about, text, data }, now);
  if (applied) await followUp(tx, farm, settled, now);
}

/** The commits of a race's entrant are not queued: the entrant is over, and the race decides. */
const forErrand = (task: Task, after: Consequences): Consequences =>
  task.purpose !== 'work' && after.event === 'submitted' ? { ...after, event: 'answered' } : after;

/** An ended attempt: how it ended, and what follows for its task. */
interface Settled {
  readonly attempt: Attempt;
  /** As it was before. */
  readonly task: Task;
  readonly result: Ended;
  readonly after: Consequences;
}

/** The changes of the task's row, and the words for its file. */
function changesOf({ attempt, task, result, after }: Settled) {
  const { event, question } = after;
  const reason = question ?? result.reason;
  const kept = result.kept ? ` (uncommitted work kept at ${result.kept})` : '';
  const note = `${attempt.agent}, attempt ${attempt.n}: ${result.outcome}: ${result.reason}${kept}`;
  return {
    failures: after.failures,
    crashes: after.crashes,
    not_before: after.notBefore,
    rework: event === 'submitted' ? reworkOf(task) : event === 'unchanged' || event === 'answered' ? null : reworkAfter(task, result),
    ...(event === 'unchanged' && { unchanged: result.reason, commit: null }),
    ...(event === 'answered' && { status: 'done' }),
    ...(event === 'blocked' && { blocked: 1, block_reason: result.reason }),
    ...(event === 'parked' && { blocked: 1, block_reason: reason }),
    tell: {
      ...boardWord(event, takenOf(task)),
      notes: event === 'stopped' ? [] : [note],
      ...((event === 'parked' || event === 'blocked') && { blocked: reason }),
    },
  };
}

/** The entry, the events and the question that follow once the task has accepted the end. */
async function followUp(tx: Tx, farm: Grounds, { attempt, task, result, after }: Settled, now: number): Promise<void> {
  const { event, question } = after;
  const { id } = splitRef(attempt.task);
  if (event === 'submitted' && result.sha) {
    const asked = { by: 'agent', rules: landRule(farm.config, 'agent', task, task.ref) } as const;
    const { n, agent } = attempt;
    const keep = farm.config.queue.keep_commits;
    await submitEntry(tx, { task, attempt: n, agent, sha: result.sha, target: targetOf(attempt, farm), keep, asked }, now);
  }
  if (event === 'unchanged') await noChange(tx, task, result.reason, now);
  if (event === 'answered') await answerErrand(tx, attempt, now);
  const about = { task: attempt.task, attempt: attempt.n };
  if (event === 'failed') {
    const text = `${id} goes back: ${result.reason}`;
    await append(tx, { kind: 'task.handed-back', agent: attempt.agent, ...about, text, data: { why: 'failed' } }, now);
  }
  if (event === 'parked') await append(tx, { kind: 'task.parked', ...about, text: `${id} is parked: ${question ?? result.reason}` }, now);
  const kind = event === 'blocked' ? 'blocked' : 'parked';
  const asked = { subject: attempt.task, reason: question ?? '' };
  if (result.unlanded && event === 'blocked') await askLandOrDrop(tx, { ...asked, unlanded: result.unlanded }, now);
  else if (question) await raiseQuestion(tx, { kind, ...asked }, now);
}

/** Asks whether earlier unlanded work should land, although there is nothing more to do for its task. */
export async function askLandOrDrop(
  tx: Tx,
  { unlanded, ...asked }: { subject: string; reason: string; unlanded: readonly Unlanded[] },
  now: number,
): Promise<void> {
  await raiseQuestion(tx, { kind: 'unlanded', ...asked, data: JSON.stringify({ shas: unlanded.map(({ sha }) => sha) }) }, now);
}

/** Stores the answer of an errand. An errand that is no longer wanted, or that ended with commits, has none. */
async function answerErrand(tx: Tx, attempt: Attempt, now: number): Promise<void> {
  const { task, agent, n, outcome, reason, sha } = attempt;
  const result = resultIn(readSaid(attempt.said));
  if (outcome === 'answered' && result !== undefined) await noteResult(tx, task, result);
  const text = `${agent} is done with ${splitRef(task).id}: ${reason}`;
  await append(tx, { kind: 'errand.answered', agent, task, attempt: n, text, data: { outcome, sha } }, now);
  await closeTaskQuestions(tx, task, 'it is over', now);
}

/** The status of the task on the board. A task that a person took over stays in progress. */
function boardWord(event: Consequences['event'], taken: Taken | undefined): Partial<Want> {
  if (event === 'submitted') return { status: 'review' };
  if (event === 'unchanged') return { status: 'done' };
  return taken ? { status: 'in-progress', claimedBy: taken.by } : { status: 'todo' };
}

/** Tells that a task needed no change: it counts as landed, and what depends on it goes on. */
export async function noChange(tx: Tx, { ref, id }: Pick<Task, 'ref' | 'id'>, reason: string, now: number): Promise<void> {
  await append(tx, { kind: 'task.unchanged', task: ref, text: `${id} needs no change: ${reason}`, data: { reason } }, now);
  await closeTaskQuestions(tx, ref, 'no change is needed', now);
}

/** Work that was never submitted is not continued: the next attempt starts at the head of that time, with a report. */
function reworkAfter(task: Task, result: Ended): Rework | null {
  const before = reworkOf(task);
  if (result.from) return { why: 'stopped', report: result.reason, from: result.from };
  if (result.outcome === 'stopped' || result.outcome === 'crashed') return before;
  return { why: 'failed', report: result.reason, from: before?.from ?? null };
}

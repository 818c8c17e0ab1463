import { type Aftermath, aftermath } from '../../agent/aftermath.ts';
import { advanceAgent } from '../../agent/store.ts';
import { givenUp } from '../../attempt/said.ts';
import { advanceAttempt, readAttempt } from '../../attempt/store.ts';
import { submitEntry } from '../../entry/store.ts';
import type { Ended } from '../../farm/acts/attempt.ts';
import type { Farm } from '../../farm/farm.ts';
import { targetOf } from '../../farm/inputs/target.ts';
import { append } from '../../journal/event.ts';
import type { Tx } from '../../journal/store.ts';
import { closeAgentQuestions, closeTaskQuestions, raiseQuestion } from '../../question/store.ts';
import { splitRef } from '../../task/id.ts';
import { type Rework, reworkOf } from '../../task/rework.ts';
import { advance, readTask, type Task, type Want } from '../../task/store.ts';
import { type Taken, takenOf } from '../../task/taken.ts';
import { landRule } from '../queue/approval.ts';

/** Stores the end of an attempt: the attempt, its task, the agent set free, and the entry when it was submitted. One transaction. */
export async function settleAttempt(tx: Tx, farm: Farm, attemptId: number, found: Ended, now: number): Promise<void> {
  const gaveUp = givenUp(await readAttempt(tx, attemptId));
  // However it ended, and also if it was given up at that very moment: the person's word counts.
  const result: Ended = gaveUp === undefined ? found : { ...found, outcome: 'stopped', reason: gaveUp };
  const { outcome, reason, sha } = result;
  const attempt = await advanceAttempt(tx, attemptId, { on: 'ended' }, { ended: now, outcome, reason, sha });
  if (!attempt) return;
  await advanceAgent(tx, attempt.agent, { on: 'freed', attempt: attemptId }, now);
  await closeAgentQuestions(tx, attempt.agent, `attempt ${attempt.n} is over`, now);
  const task = await readTask(tx, attempt.task);
  const ordinary = aftermath(result.outcome, result.reason, task, farm.config.attempts, farm.clock.awake());
  const after: Aftermath = gaveUp === undefined ? ordinary : { ...ordinary, event: 'parked' };
  const { id } = splitRef(attempt.task);
  const note = `${attempt.agent}, attempt ${attempt.n}: ${result.outcome}: ${result.reason}${result.kept ? ` (uncommitted work kept at ${result.kept})` : ''}`;
  const rework = after.event === 'submitted' ? reworkOf(task) : after.event === 'unchanged' ? null : reworkAfter(task, result);
  const applied = await advance(tx, attempt.task, { on: after.event, token: attempt.n }, now, {
    failures: after.failures,
    crashes: after.crashes,
    not_before: after.notBefore,
    rework,
    ...(after.event === 'unchanged' && { unchanged: result.reason, commit: null }),
    ...(after.event === 'blocked' && { blocked: 1, block_reason: result.reason }),
    ...(after.event === 'parked' && { blocked: 1, block_reason: after.question ?? result.reason }),
    tell: {
      ...boardWord(after.event, takenOf(task)),
      notes: after.event === 'stopped' ? [] : [note],
      ...((after.event === 'parked' || after.event === 'blocked') && { blocked: after.question ?? result.reason }),
    },
  });
  await append(
    tx,
    {
      kind: 'attempt.ended',
      agent: attempt.agent,
      task: attempt.task,
      attempt: attempt.n,
      text: `${attempt.agent} ends ${id}, attempt ${attempt.n}: ${result.outcome}, ${result.reason}`,
      data: { outcome: result.outcome, reason: result.reason, sha: result.sha, kept: result.kept },
    },
    now,
  );
  if (!applied) return;
  if (after.event === 'submitted' && result.sha)
    await submitEntry(
      tx,
      {
        task,
        attempt: attempt.n,
        agent: attempt.agent,
        sha: result.sha,
        target: targetOf(attempt, farm),
        keep: farm.config.queue.keep_commits,
        asked: { by: 'agent', rules: landRule(farm.config, 'agent', task, task.ref) },
      },
      now,
    );
  if (after.event === 'unchanged') await noChange(tx, task, result.reason, now);
  if (after.event === 'failed')
    await append(
      tx,
      {
        kind: 'task.handed-back',
        agent: attempt.agent,
        task: attempt.task,
        attempt: attempt.n,
        text: `${id} goes back: ${result.reason}`,
        data: { why: 'failed' },
      },
      now,
    );
  if (after.event === 'parked')
    await append(
      tx,
      { kind: 'task.parked', task: attempt.task, attempt: attempt.n, text: `${id} is parked: ${after.question ?? result.reason}` },
      now,
    );
  if (after.question)
    await raiseQuestion(tx, { kind: after.event === 'blocked' ? 'blocked' : 'parked', subject: attempt.task, reason: after.question }, now);
}

/** The status of the task on the board. One that a person took over is in progress, and theirs. */
function boardWord(event: Aftermath['event'], taken: Taken | undefined): Partial<Want> {
  if (event === 'submitted') return { status: 'review' };
  if (event === 'unchanged') return { status: 'done' };
  return taken ? { status: 'in-progress', claimedBy: taken.by } : { status: 'todo' };
}

/** Tells that a task needed no change: it counts as landed, and what depends on it goes on. */
export async function noChange(tx: Tx, { ref, id }: Pick<Task, 'ref' | 'id'>, reason: string, now: number): Promise<void> {
  await append(tx, { kind: 'task.unchanged', task: ref, text: `${id} needs no change: ${reason}`, data: { reason } }, now);
  await closeTaskQuestions(tx, ref, 'no change is needed', now);
}

/** An attempt that was never submitted is not continued: the next one starts at the head of that day, told what happened. */
function reworkAfter(task: Task, result: Ended): Rework | null {
  const before = reworkOf(task);
  if (result.from) return { why: 'stopped', report: result.reason, from: result.from };
  if (result.outcome === 'stopped' || result.outcome === 'crashed') return before;
  return { why: 'failed', report: result.reason, from: before?.from ?? null };
}

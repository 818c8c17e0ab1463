import { type JobAction, planJobs } from '../../agents/job/plan.ts';
import { advanceJob, openJobs } from '../../agents/job/store.ts';
import { nextDeadline, planAsks } from '../../agents/message/ask.ts';
import { openAsks } from '../../agents/message/read.ts';
import { endAsk } from '../../agents/message/store.ts';
import { commitTogether } from '../../journal/commit-together.ts';
import type { Tx } from '../../journal/store.ts';
import { toAwake } from '../../platform/clock.ts';
import { openAttempts } from '../../work/attempt/store.ts';
import { wakeAt } from '../farm/alarm.ts';
import type { Farm } from '../farm/farm.ts';

/** Ends questions and jobs between agents that timed out or whose attempt has ended, and tells those who wait for them. */
export async function followConversations(farm: Farm): Promise<void> {
  const { db, clock } = farm;
  const [asks, jobs] = [await openAsks(db), await openJobs(db)];
  if (asks.length === 0 && jobs.length === 0) return;
  // Read after them: an attempt that began meanwhile must be among the running ones.
  const running = new Set((await openAttempts(db)).map((attempt) => attempt.id));
  const now = clock.now();
  const ends = planAsks(asks, running, now);
  const actions = planJobs(jobs, running, now);
  const steps = [
    ...ends.map(
      ({ ask, event, reason }) =>
        (tx: Tx) =>
          endAsk(tx, ask, event, reason, now),
    ),
    ...actions.map((action) => (tx: Tx) => carryOut(tx, action, now)),
  ];
  await Promise.all(steps.map((step) => commitTogether(db, step)));
  if (ends.length > 0 || actions.length > 0) return farm.post.wake();
  const next = nextDeadline([...asks, ...jobs]);
  if (next !== undefined) wakeAt(farm.post, toAwake(clock, next));
}

function carryOut(tx: Tx, action: JobAction, now: number): Promise<boolean> {
  const { job } = action;
  if (action.do === 'deliver') return advanceJob(tx, job, { on: 'delivered', attempt: action.attempt }, { note: '' }, now);
  return advanceJob(tx, job, { on: 'ended', state: action.state }, { note: action.reason }, now);
}

import { overBudget } from '../../../agents/agent/budget.ts';
import type { Policy } from '../../../agents/agent/permission/policy.ts';
import { findAgent } from '../../../agents/agent/store.ts';
import { jobsBy } from '../../../agents/job/store.ts';
import { openLeases } from '../../../agents/lease/store.ts';
import { asksBy } from '../../../agents/message/read.ts';
import { noteRefusal } from '../../../agents/supervision/provider/store.ts';
import type { Db } from '../../../journal/store.ts';
import { readAttempt } from '../../../work/attempt/store.ts';
import { endsByAnswer } from '../../../work/errand/purpose.ts';
import { openQuestions } from '../../../work/question/store.ts';
import { reworkOf } from '../../../work/task/rework.ts';
import { findTaskRow, readTask } from '../../../work/task/store.ts';
import { allowance, spent } from '../../farm/cost.ts';
import type { Farm } from '../../farm/farm.ts';
import type { TurnAnswers } from '../../farm/leader-answers.ts';
import { owedAnswers } from './owed-answers.ts';

export const turnAnswers = (farm: Pick<Farm, 'db' | 'clock' | 'config'>): TurnAnswers => ({
  async policy({ attempt, task }) {
    const row = await findTaskRow(farm.db, task);
    return {
      answers: row !== undefined && endsByAnswer(row.purpose),
      check: row?.check ?? null,
      own: JSON.parse(row?.paths ?? '[]') as string[],
      leases: await otherPaths(farm.db, attempt),
    };
  },

  async facts({ attempt, agent, task }) {
    const { branch, base, target, said } = await readAttempt(farm.db, attempt);
    const row = await readTask(farm.db, task);
    const asks = await openQuestions(farm.db, { kinds: ['ask'], agent });
    return {
      ...{ branch, base, target, said },
      answers: endsByAnswer(row.purpose),
      from: reworkOf(row)?.from ?? null,
      paused: (await findAgent(farm.db, agent))?.paused === 1,
      openAsks: asks.length + (await asksBy(farm.db, attempt)),
      awaited: (await jobsBy(farm.db, attempt)) + (await leasesAwaited(farm.db, attempt)),
    };
  },

  async overspent(task) {
    const { usd, task: own } = await spent(farm, task);
    return overBudget(farm.config.budget, { run: usd, task: own }, await allowance(farm.db, task))?.reason ?? null;
  },

  owed: (of) => owedAnswers(farm, of),
  refused: (refusal) => farm.db.transaction().execute((tx) => noteRefusal(tx, refusal, farm.clock.now())),
});

const leasesAwaited = async (db: Db, attempt: number): Promise<number> =>
  (await openLeases(db)).filter((lease) => lease.standing === 'waiting' && lease.attempt === attempt).length;

/** The paths that nobody but another holder may change now. */
async function otherPaths(db: Db, attempt: number): Promise<Policy['leases']> {
  const held = (await openLeases(db)).filter(
    (lease) => lease.kind === 'path' && lease.standing === 'held' && lease.mode === 'exclusive' && lease.attempt !== attempt,
  );
  return held.flatMap(({ who, names, until, reason, origin }) =>
    names.map((pattern) => ({ holder: who, pattern, until, reason, reserved: origin === 'reserved' })),
  );
}

import { readAgent } from '../../../agents/agent/store.ts';
import { openLeases } from '../../../agents/lease/store.ts';
import { supervisionOf } from '../../../agents/supervision/store.ts';
import { timesFailed } from '../../../journal/act.ts';
import { FurrowError } from '../../../platform/error.ts';
import { findAttempt, readAttempt } from '../../../work/attempt/store.ts';
import { closeQuestions, raiseQuestion } from '../../../work/question/store.ts';
import { readTask } from '../../../work/task/store.ts';
import type { Grounds, LeaderHalf } from '../../leader/act-half.ts';
import { settleAttempt } from '../../leader/attempt/settle-attempt.ts';
import { earlierWork } from '../../leader/work/earlier-work.ts';
import { attemptKey } from '../keys.ts';

const TRIES = 4;

/** Stores the end of an attempt, by what it was judged to be. */
export function attemptEnd(farm: Grounds): LeaderHalf<'attempt.end'> {
  return {
    async facts({ db }, { attempt }) {
      const row = await readAttempt(db, attempt);
      return {
        row,
        worktree: (await readAgent(db, row.agent)).worktree,
        task: await readTask(db, row.task),
        leases: (await openLeases(db)).filter((lease) => lease.attempt === attempt),
        turn: (await supervisionOf(db, attempt))?.turn ?? null,
        earlier: await earlierWork(db, row.task),
      };
    },

    async begin(tx, args) {
      const row = await findAttempt(tx, args.attempt);
      if (row?.state !== 'running') throw new FurrowError('STALE', `attempt ${args.attempt} has ended already`);
    },

    async finish(tx, args, result, now) {
      const row = await readAttempt(tx, args.attempt);
      await closeQuestions(tx, 'survivors', row.task, 'they are gone', now);
      await settleAttempt(tx, farm, args.attempt, result, now);
    },

    /**
     * A killed git is no end of an attempt: it is looked at again, a few times. What cannot be read even then cannot be
     * judged: the worktree stays as it is, and the attempt counts as crashed.
     */
    async failed(tx, args, error, now) {
      const row = await readAttempt(tx, args.attempt);
      if (error instanceof FurrowError && error.code === 'SURVIVORS') {
        await raiseQuestion(tx, { kind: 'survivors', subject: row.task, reason: error.message }, now);
        return;
      }
      if ((await timesFailed(tx, attemptKey(args.attempt))) < TRIES) return;
      await settleAttempt(tx, farm, args.attempt, { outcome: 'crashed', reason: error.message, sha: null, kept: null }, now);
    },
  };
}

import { driverNamed } from '../../../agents/agent/drivers/index.ts';
import { findAgent, readAgent } from '../../../agents/agent/store.ts';
import { limitsNow } from '../../../agents/supervision/provider/store.ts';
import { advanceSupervision, supervisionOf } from '../../../agents/supervision/store.ts';
import { append } from '../../../journal/event.ts';
import type { Tx } from '../../../journal/store.ts';
import { FurrowError } from '../../../platform/error.ts';
import { type Attempt, advanceAttempt, readAttempt } from '../../../work/attempt/store.ts';
import { closeAgentQuestions } from '../../../work/question/store.ts';
import { splitRef } from '../../../work/task/id.ts';
import { accountFor, limitKey, type WithAccount } from '../../farm/accounts.ts';
import { racedTask } from '../../farm/raced-task.ts';
import type { Grounds, LeaderHalf } from '../../leader/act-half.ts';
import { settleAttempt } from '../../leader/attempt/settle-attempt.ts';
import { assertTrusted } from '../../leader/trust.ts';
import type { RelaunchArgs } from './arguments.ts';

/** Stores that an attempt goes on with another process. What is kept in memory of the process before is read again. */
export function attemptRelaunch(farm: Grounds): LeaderHalf<'attempt.relaunch'> {
  return {
    async facts({ db }, { attempt }) {
      const row = await readAttempt(db, attempt);
      const supervision = await supervisionOf(db, attempt);
      return { row, agent: await readAgent(db, row.agent), raced: await racedTask(db, row.task), supervision };
    },

    async begin(tx, args, now, after) {
      assertTrusted(farm);
      const relaunched = { on: 'relaunched', launch: args.launch } as const;
      const settings = args.how === 'fresh' ? await otherAccount(tx, await readAttempt(tx, args.attempt), args, now) : undefined;
      const row = await advanceAttempt(tx, args.attempt, relaunched, { pid: null, pid_start: null, ...(settings && { settings }) });
      if (!row) throw new FurrowError('STALE', `attempt ${args.attempt} was already relaunched, or has ended`);
      const starts = { on: 'process-starts', sameConversation: args.how === 'resume', at: farm.clock.awake() } as const;
      await advanceSupervision(tx, args.attempt, starts, now);
      after(({ forget }) => forget(args.attempt));
    },

    async finish(tx, args, result, now, after) {
      const row = await advanceAttempt(tx, args.attempt, { on: 'started' }, { pid: result.pid, pid_start: result.start });
      if (!row) return;
      const resumed = args.how === 'resume' && !result.forgotten;
      if (result.forgotten) await advanceSupervision(tx, args.attempt, { on: 'conversation-lost' }, now);
      // What its old process waited for nobody waits for now; what the agent asked of a person it still wants to know.
      await closeAgentQuestions(tx, row.agent, 'its process was relaunched', now, ['permission', 'question']);
      after(({ forget }) => forget(args.attempt));
      const { id } = splitRef(row.task);
      const { account } = JSON.parse(row.settings ?? '{}') as { account?: string };
      await append(
        tx,
        {
          kind: 'attempt.relaunched',
          agent: row.agent,
          task: row.task,
          attempt: row.n,
          text: `${row.agent} resumes ${id}, attempt ${row.n}, ${resumed ? 'in the same conversation' : 'in a new conversation'}${account === undefined ? '' : `, with the account ${account}`}: ${args.why}`,
          data: { launch: args.launch, how: resumed ? 'resume' : 'fresh', pid: result.pid },
        },
        now,
      );
    },

    async failed(tx, args, error, now) {
      const row = await readAttempt(tx, args.attempt);
      const agent = await findAgent(tx, row.agent);
      const outcome = agent?.state === 'stopping' ? 'stopped' : 'crashed';
      await settleAttempt(tx, farm, row.id, { outcome, reason: `could not resume: ${error.message}`, sha: null, kept: null }, now);
    },
  };
}

/** Its settings with an account that no limit holds, if its own met one: a new conversation can be that of another login. */
async function otherAccount(tx: Tx, { settings }: Attempt, { leavesAccount }: RelaunchArgs, now: number): Promise<string | undefined> {
  const own = JSON.parse(settings ?? '{}') as Partial<WithAccount>;
  if (own.account === undefined || own.driver === undefined) return undefined;
  const limits: Map<string, { until: number }> = new Map(await limitsNow(tx, now));
  const key = limitKey(driverNamed(own.driver), own);
  // A limit without a time is over here after a minute, and the agent that is refused still says that it is not.
  if (leavesAccount && key !== null && !limits.has(key)) limits.set(key, { until: Number.POSITIVE_INFINITY });
  const account = accountFor(own as WithAccount, limits);
  return account === undefined || account === own.account ? undefined : JSON.stringify({ ...own, account });
}

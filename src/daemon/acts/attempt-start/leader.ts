import { advanceAgent, findAgent, placeAgent, readAgent } from '../../../agents/agent/store.ts';
import { limitsNow } from '../../../agents/supervision/provider/store.ts';
import { beginSupervision } from '../../../agents/supervision/store.ts';
import { append } from '../../../journal/event.ts';
import type { Db, Tx } from '../../../journal/store.ts';
import { FurrowError } from '../../../platform/error.ts';
import { hasBegunSince } from '../../../work/attempt/read.ts';
import { advanceAttempt, attemptAt, beginAttempt, lastAttemptAt } from '../../../work/attempt/store.ts';
import { lastEntryOf } from '../../../work/entry/read.ts';
import { findWork } from '../../../work/store.ts';
import { splitRef } from '../../../work/task/id.ts';
import { type Rework, reworkOf } from '../../../work/task/rework.ts';
import { advance, readTask } from '../../../work/task/store.ts';
import { pinnedSettings, startedWith } from '../../farm/agent-settings.ts';
import { racedTask } from '../../farm/raced-task.ts';
import { targetOf } from '../../farm/target-of.ts';
import type { Grounds, LeaderHalf } from '../../leader/act-half.ts';
import { takeForAttempt } from '../../leader/attempt/attempt-leases.ts';
import { settleAttempt } from '../../leader/attempt/settle-attempt.ts';
import { assertTrusted } from '../../leader/trust.ts';
import { assignmentOf } from '../../leader/work/assignment.ts';
import type { StartArgs, Started, StartFacts } from './arguments.ts';

/** Errors that only a person can fix: another try would fail the same way. */
const THEIRS = new Set(['TEMPLATE', 'NO_TEMPLATE', 'NO_FENCE', 'BRANCH_IN_WAY']);

/** Leases a task to an agent, and stores that the attempt runs. */
export function attemptStart(farm: Grounds): LeaderHalf<'attempt.start'> {
  return {
    facts: ({ db }, args) => readFacts(db, args),

    begin: (tx, args, now) => lease(farm, tx, args, now),

    async finish(tx, args, result, now) {
      const { id: attempt } = await attemptAt(tx, args.task, args.n);
      const row = await advanceAttempt(tx, attempt, { on: 'started' }, { pid: result.pid, pid_start: result.start });
      if (!row) return;
      if (result.place) await placeAgent(tx, args.agent, result.place);
      const { driver, settings } = startedWith(farm.config, row);
      if (driver.speaks(settings)) await beginSupervision(tx, row.id, farm.clock);
      await advanceAgent(tx, args.agent, { on: 'started', attempt: row.id }, now);
      await tellStarted(tx, args, result, now);
    },

    /**
     * It never came up: nobody's fault but the machine's, so it counts as a crash and is tried again, a bounded number of
     * times. A template that cannot be filled in is a person's to mend, and no try without that is any better.
     */
    async failed(tx, args, error, now) {
      const { id } = await attemptAt(tx, args.task, args.n);
      const agent = await findAgent(tx, args.agent);
      const theirs = error instanceof FurrowError && THEIRS.has(error.code);
      const taken = (await readTask(tx, args.task)).taken !== null;
      const outcome = agent?.state === 'stopping' || taken ? 'stopped' : theirs ? 'blocked' : 'crashed';
      await settleAttempt(tx, farm, id, { outcome, reason: `could not start: ${error.message}`, sha: null, kept: null }, now);
    },
  };
}

async function readFacts(db: Db, { task: ref, n, agent: name }: StartArgs): Promise<StartFacts> {
  const [row, task, agent] = [await attemptAt(db, ref, n), await readTask(db, ref), await readAgent(db, name)];
  const work = await findWork(db, agent.phase);
  return {
    row,
    agent,
    raced: await racedTask(db, ref),
    from: reworkOf(task)?.from ?? null,
    fresh: work?.fresh ? !(await hasBegunSince(db, row, work.at)) : false,
    assignment: await assignmentOf(db, task, name),
  };
}

async function lease(farm: Grounds, tx: Tx, args: StartArgs, now: number): Promise<void> {
  assertTrusted(farm);
  const { task, n, agent, kind, base, branch, host = null } = args;
  const target = targetOf(args, farm);
  const anew = await reworkElsewhere(tx, task, target);
  const claimed = await advance(tx, task, { on: 'claimed', holder: agent, token: n }, now, {
    ...(anew && { rework: anew }),
    tell: { status: 'in-progress', claimedBy: agent },
  });
  if (!claimed) throw new FurrowError('STALE', `${task} is no longer free`);
  const settings = pinnedSettings(farm, kind, await readTask(tx, task), await limitsNow(tx, now));
  const deadline = settings.timeoutMs ? farm.clock.awake() + settings.timeoutMs : null;
  const begun = { task, n, agent, kind, settings: JSON.stringify(settings), base, branch, target, deadline, host };
  const attempt = await beginAttempt(tx, begun, now);
  await takeForAttempt(tx, farm, await readTask(tx, task), { id: attempt, agent }, now);
  const taken = await advanceAgent(tx, agent, { on: 'taken', attempt }, now, { kind });
  if (!taken) throw new FurrowError('STALE', `${agent} is no longer free`);
}

/**
 * The rework of an attempt for another target than before: the report alone. The earlier commits carry the history of the
 * target they were made for, and going on from them would land that history here.
 */
async function reworkElsewhere(tx: Tx, task: string, target: string): Promise<Rework | undefined> {
  const rework = reworkOf(await readTask(tx, task));
  if (!rework?.from) return undefined;
  const attempt = await lastAttemptAt(tx, task);
  const entry = await lastEntryOf(tx, task);
  const same = [attempt, entry].every((row) => (row?.target ?? target) === target);
  return same ? undefined : { why: rework.why, report: rework.report, from: null };
}

async function tellStarted(tx: Tx, args: StartArgs, { rescued, pid }: Started, now: number): Promise<void> {
  const { id } = splitRef(args.task);
  const { settings, host } = await attemptAt(tx, args.task, args.n);
  const { account } = JSON.parse(settings ?? '{}') as { account?: string };
  const where = host === null ? '' : `, on ${host}`;
  const saved = rescued ? `; what lay in the worktree is kept at ${rescued}` : '';
  await append(
    tx,
    {
      kind: 'attempt.started',
      agent: args.agent,
      task: args.task,
      attempt: args.n,
      text: `${args.agent} starts on ${id}, attempt ${args.n}${account === undefined ? '' : `, with the account ${account}`}${where}${saved}`,
      data: { base: args.base, branch: args.branch, pid, ...(host !== null && { host }) },
    },
    now,
  );
}

import { findAgent } from '../../../agents/agent/store.ts';
import { mailbox } from '../../../agents/message/mailbox.ts';
import { supervisionOf } from '../../../agents/supervision/store.ts';
import { readMeta } from '../../../journal/store.ts';
import { passTimes } from '../../../queue/check-run/read.ts';
import { hasLanded } from '../../../queue/landing/read.ts';
import { findAttempt, lastAttemptId, openAttempts } from '../../../work/attempt/store.ts';
import { openEntries } from '../../../work/entry/read.ts';
import { openQuestions } from '../../../work/question/store.ts';
import type { Farm } from '../../farm/farm.ts';
import type { AttemptDesk, CheckDesk, ConflictDesk, LeaderDesk } from '../../farm/leader-desk.ts';
import { racedTask } from '../../farm/raced-task.ts';
import { runningChecks } from '../../farm/running-checks.ts';
import { readAgentRows } from '../../farm/snapshot.ts';
import { CONFLICTS_TOLD } from '../store-report.ts';
import { requestDesk } from './requests.ts';
import { turnDesk } from './turns.ts';
import { workDesk } from './work.ts';

/** Answers a host from the store. */
export const leaderDesk = (farm: Pick<Farm, 'db' | 'clock' | 'config' | 'log'>): LeaderDesk => ({
  attempts: attemptDesk(farm),
  turns: turnDesk(farm),
  requests: requestDesk(farm),
  mail: mailbox(farm.db, () => farm.clock.now()),
  work: workDesk(farm),
  checks: checkDesk(farm),
  conflicts: conflictDesk(farm),
});

type Asked = Pick<Farm, 'db' | 'log'>;

const attemptDesk = (farm: Asked): AttemptDesk => ({
  find: (attempt) => findAttempt(farm.db, attempt),
  async numbers() {
    // In this order: an attempt that begins meanwhile is beyond the last.
    const last = await lastAttemptId(farm.db);
    return { last, open: (await openAttempts(farm.db)).map(({ id }) => id) };
  },
  async processes() {
    const open = await openAttempts(farm.db);
    return open.flatMap(({ id, pid, pid_start }) => (pid !== null && pid_start ? [{ attempt: id, pid, start: pid_start }] : []));
  },
  rows: () => readAgentRows(farm),
  agent: (name) => findAgent(farm.db, name),
  async open(attempt) {
    const row = await farm.db
      .selectFrom('attempt')
      .innerJoin('agent', 'agent.name', 'attempt.agent')
      .select(['attempt.agent', 'attempt.task', 'attempt.n', 'attempt.launch', 'attempt.kind', 'attempt.settings', 'agent.worktree'])
      .where('attempt.id', '=', attempt)
      .where('attempt.state', '!=', 'ended')
      .executeTakeFirst();
    return row && { ...row, record: await supervisionOf(farm.db, attempt) };
  },
  racedTask: (task) => racedTask(farm.db, task),
});

const checkDesk = ({ db }: Asked): CheckDesk => ({
  hasLanded: (target, tree) => hasLanded(db, target, tree),
  running: async () => (await runningChecks({ db })).map(({ log, check }) => ({ log, check })),
  passTimes: (check, most) => passTimes(db, check, most),
  hanging: async () => (await openQuestions(db, { kinds: ['hanging'] })).map(({ subject }) => subject),
});

const conflictDesk = ({ db }: Asked): ConflictDesk => ({
  queued: async () => (await openEntries(db)).map(({ task, title, sha, target }) => ({ task, title, sha, target })),
  told: () => readMeta(db, CONFLICTS_TOLD),
});

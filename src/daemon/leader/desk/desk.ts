import { readAgent } from '../../../agents/agent/store.ts';
import { readMeta } from '../../../journal/store.ts';
import { passTimes } from '../../../queue/check-run/read.ts';
import { hasLanded } from '../../../queue/landing/read.ts';
import { findAttempt, openAttempts } from '../../../work/attempt/store.ts';
import { openEntries } from '../../../work/entry/read.ts';
import { openQuestions } from '../../../work/question/store.ts';
import type { Farm } from '../../farm/farm.ts';
import type { AttemptDesk, CheckDesk, ConflictDesk, LeaderDesk } from '../../farm/leader-desk.ts';
import { runningChecks } from '../../farm/running-checks.ts';
import { CONFLICTS_TOLD } from '../store-report.ts';
import { workDesk } from './work.ts';

export type Asked = Pick<Farm, 'db'>;

/** Answers a host from the store. */
export const leaderDesk = (farm: Asked): LeaderDesk => ({
  attempts: attemptDesk(farm),
  work: workDesk(farm),
  checks: checkDesk(farm),
  conflicts: conflictDesk(farm),
});

const attemptDesk = ({ db }: Asked): AttemptDesk => ({
  find: (attempt) => findAttempt(db, attempt),
  async processes() {
    const open = await openAttempts(db);
    return open.flatMap(({ id, pid, pid_start }) => (pid !== null && pid_start ? [{ attempt: id, pid, start: pid_start }] : []));
  },
  worktreeOf: async (agent) => (await readAgent(db, agent)).worktree,
});

const checkDesk = ({ db }: Asked): CheckDesk => ({
  hasLanded: (target, tree) => hasLanded(db, target, tree),
  running: async () => (await runningChecks({ db })).map(({ log, check }) => ({ log, check })),
  passTimes: (check, most) => passTimes(db, check, most),
  hanging: async () => (await openQuestions(db, { kinds: ['hanging'] })).map(({ subject }) => subject),
});

const conflictDesk = ({ db }: Asked): ConflictDesk => ({
  queued: async () => (await openEntries(db)).map(({ task, sha, target }) => ({ task, sha, target })),
  told: () => readMeta(db, CONFLICTS_TOLD),
});

import { agentsOf, findAgent } from '../../../agents/agent/store.ts';
import { mailbox } from '../../../agents/message/mailbox.ts';
import { supervisionOf } from '../../../agents/supervision/store.ts';
import { readMeta } from '../../../journal/store.ts';
import { passTimes } from '../../../queue/check-run/read.ts';
import { hasLanded } from '../../../queue/landing/read.ts';
import { lastAttemptOn } from '../../../work/attempt/read.ts';
import { attemptsAt, findAttempt, lastAttemptId, openAttempts } from '../../../work/attempt/store.ts';
import { openEntries } from '../../../work/entry/read.ts';
import { askPerson, openQuestions } from '../../../work/question/store.ts';
import { runningChecks } from '../../farm/check-log.ts';
import type { Farm } from '../../farm/farm.ts';
import type {
  AttemptAnswers,
  CheckAnswers,
  ConflictAnswers,
  LeaderAnswers,
  OpenRequest,
  RequestAnswers,
  WorkAnswers,
} from '../../farm/leader-answers.ts';
import { readPin } from '../../farm/pins.ts';
import { racedTask } from '../../farm/raced-task.ts';
import { readAgentRows } from '../../farm/snapshot.ts';
import { CONFLICTS_TOLD } from '../store-report.ts';
import { turnAnswers } from './turns.ts';

/** Answers a host from the store. */
export const leaderAnswers = (farm: Pick<Farm, 'db' | 'clock' | 'config' | 'log'>): LeaderAnswers => ({
  attempts: attemptAnswers(farm),
  turns: turnAnswers(farm),
  requests: requestAnswers(farm),
  mail: mailbox(farm.db, () => farm.clock.now()),
  work: workAnswers(farm),
  checks: checkAnswers(farm),
  conflicts: conflictAnswers(farm),
});

type Asked = Pick<Farm, 'db' | 'log'>;

const attemptAnswers = (farm: Asked): AttemptAnswers => ({
  find: (attempt) => findAttempt(farm.db, attempt),
  async numbers() {
    // In this order: an attempt that begins meanwhile is beyond the last.
    const last = await lastAttemptId(farm.db);
    return { last, open: (await openAttempts(farm.db)).map(({ id }) => id) };
  },
  async processes() {
    const open = await openAttempts(farm.db);
    // The number of a process on another machine names some other process here.
    return open.flatMap(({ id, pid, pid_start, host }) =>
      pid !== null && pid_start && host === null ? [{ attempt: id, pid, start: pid_start }] : [],
    );
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

const checkAnswers = ({ db }: Asked): CheckAnswers => ({
  hasLanded: (target, tree) => hasLanded(db, target, tree),
  running: async () => (await runningChecks({ db })).map(({ log, check }) => ({ log, check })),
  passTimes: (check, most) => passTimes(db, check, most),
  hanging: async () => (await openQuestions(db, { kinds: ['hanging'] })).map(({ subject }) => subject),
});

const conflictAnswers = ({ db }: Asked): ConflictAnswers => ({
  queued: async () => (await openEntries(db)).map(({ task, title, sha, target }) => ({ task, title, sha, target })),
  told: () => readMeta(db, CONFLICTS_TOLD),
});

const requestAnswers = ({ db, clock }: Pick<Farm, 'db' | 'clock'>): RequestAnswers => ({
  open: (asks, request) =>
    db.transaction().execute(async (tx) => {
      const same = await openQuestions(tx, { agent: asks.agent, kinds: [asks.kind] });
      const known = same.find((row) => (JSON.parse(row.data ?? '{}') as { request?: string }).request === request);
      if (known) return { ...plain(known), expires: known.expires ?? asks.expires };
      const id = await askPerson(tx, asks, clock.now());
      return plain({ ...asks, id, subject: asks.task });
    }),

  of: async (agent) => (await openQuestions(db, { agent })).map(plain),
});

const plain = ({ id, kind, subject, data, expires }: OpenRequest): OpenRequest => ({ id, kind, subject, data, expires });

const workAnswers = ({ db }: Pick<Farm, 'db'>): WorkAnswers => ({
  busyWorktrees: async () => (await agentsOf(db)).flatMap(({ attempt, worktree }) => (attempt === null ? [] : [worktree])),
  openBranches: async () => (await openAttempts(db)).map(({ branch }) => branch),

  async baseOf({ ref, path }) {
    if (path !== undefined) {
      const agent = (await agentsOf(db)).find(({ worktree }) => worktree === path);
      return (await openAttempts(db)).find(({ id }) => id === agent?.attempt)?.base;
    }
    const branch = /^refs\/(?:heads|furrow\/pin-branch)\/(furrow\/.+?)(?:\/[0-9a-f]{16})?$/.exec(ref)?.[1];
    if (branch !== undefined) return (await lastAttemptOn(db, branch))?.base;
    const pin = readPin(ref.replace(/-uncommitted$/, ''));
    return pin && (await attemptsAt(db, pin.task)).find(({ n }) => n === pin.attempt)?.base;
  },
});

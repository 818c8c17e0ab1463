import type { Handlers } from '../../api/server.ts';
import { FurrowError } from '../../platform/error.ts';
import { runWithLog } from '../../queue/check-run/read.ts';
import { newestAttempt } from '../../work/attempt/read.ts';
import { openAttempts } from '../../work/attempt/store.ts';
import { runningChecks } from '../farm/check-log.ts';
import type { Farm } from '../farm/farm.ts';
import { attemptFiles } from '../farm/process-names.ts';
import type { Desk } from './context.ts';
import { logsOf } from './output/logs.ts';
import { setupLogs } from './output/setup-logs.ts';
import { findSubject, type Subject } from './subject.ts';
import { until } from './wait-until.ts';

/** Output of checks and agents. Clients read the files themselves: they are the user's own. */
export function logs(desk: Desk): Pick<Handlers, 'logs' | 'logEnded'> {
  const { farm, feed } = desk;
  return {
    async logs({ subject: name, attempt, text = false }) {
      const subject = await findSubject(farm, name, ['task', 'agent', 'check']);
      const found = await logsOf(desk, subject, { attempt, text });
      if (found.length === 0) throw (await printedElsewhere(farm, subject, attempt)) ?? nothingYet(subject, attempt);
      return { subject: subject.name, kind: subject.is as 'task' | 'agent' | 'check', logs: found };
    },

    async logEnded({ path }, { signal }) {
      const cut = new AbortController();
      const end = () => cut.abort();
      farm.cutShort.once(path, end);
      try {
        await until(feed, AbortSignal.any([signal, cut.signal]), async () => !(await isWritten(farm, path)));
      } finally {
        farm.cutShort.off(path, end);
      }
      return outcomeOf(farm, path);
    },
  };
}

async function printedElsewhere(farm: Farm, subject: Subject, attempt: number | undefined): Promise<FurrowError | undefined> {
  const who = subject.is === 'agent' ? { agent: subject.name } : subject.is === 'task' ? { task: subject.ref } : undefined;
  const row = who && (await newestAttempt(farm.db, who, attempt));
  if (!row || row.host === null) return undefined;
  const { logRelative } = attemptFiles(farm.places, row.agent, row.id, row.launch);
  return new FurrowError('ELSEWHERE', `${row.agent} did attempt ${row.n} on ${row.host}, and its output is there`, {
    hint: `on ${row.host}: less -R ~/furrow/hosts/*/repo/.furrow/${logRelative}`,
  });
}

function nothingYet(subject: Subject, attempt: number | undefined): FurrowError {
  const of = attempt === undefined ? subject.name : `attempt ${attempt} of ${subject.name}`;
  const next = { task: `furrow why ${subject.name}`, agent: 'furrow status', check: 'furrow queue', branch: 'furrow queue' }[subject.is];
  return new FurrowError('NO_OUTPUT', `${of} has no output yet: nothing of it has run`, { hint: next });
}

/** Something that runs writes into this file. */
async function isWritten(farm: Farm, path: string): Promise<boolean> {
  if ((await runningChecks(farm)).some((run) => run.log === path)) return true;
  if ((await setupLogs(farm)).some((log) => log.path === path && log.state === 'running')) return true;
  const attempts = await openAttempts(farm.db);
  return attempts.some((one) => attemptFiles(farm.places, one.agent, one.id, one.launch).log === path);
}

async function outcomeOf(farm: Farm, path: string): Promise<{ state: string; detail: string | null }> {
  const run = await runWithLog(farm.db, path);
  if (run) return { state: { pass: 'passed', fail: 'failed', error: 'could not run' }[run.outcome], detail: run.detail };
  const setup = (await setupLogs(farm)).find((log) => log.path === path);
  return { state: setup?.state ?? (path.includes('/checks/') ? 'was cancelled' : 'ended'), detail: null };
}

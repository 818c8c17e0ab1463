import type { Selectable } from 'kysely';
import type { OutputLog } from '../../../api/contract/output.ts';
import { newestEvents } from '../../../journal/event.ts';
import type { AttemptRow } from '../../../journal/rows/attempt.ts';
import { readOutput } from '../../../platform/output/read.ts';
import { tellingLines } from '../../../platform/output/telling.ts';
import { clean } from '../../../platform/strip-controls.ts';
import { runsNamed, runsWith } from '../../../queue/check-run/read.ts';
import type { CheckRun } from '../../../queue/check-run/store.ts';
import { landingsWith } from '../../../queue/landing/read.ts';
import { outcomeText } from '../../../tell/face/states.ts';
import { newestAttempt } from '../../../work/attempt/read.ts';
import { entriesOfTask, openEntryOf } from '../../../work/entry/read.ts';
import { splitRef } from '../../../work/task/id.ts';
import { type RunningCheck, runningChecks } from '../../farm/check-log.ts';
import type { Farm } from '../../farm/farm.ts';
import { attemptFiles } from '../../farm/process-names.ts';
import type { Desk } from '../context.ts';
import type { Subject } from '../subject.ts';
import { SETUP, setupLogs } from './setup-logs.ts';

type Log = Omit<OutputLog, 'telling'>;
type Run = CheckRun;

const iso = (at: number) => new Date(at).toISOString();

/** The logs of what a person named, the newest last, each with its telling lines. */
export async function logsOf(desk: Desk, subject: Subject, { attempt, text = false }: Asked = {}): Promise<OutputLog[]> {
  const found = await find(desk, subject, attempt);
  return Promise.all(
    found.map(async (log) => {
      const output = await readOutput(log.path);
      return { ...log, telling: tellingLines(output), ...(text && { text: clean(output) }) };
    }),
  );
}

interface Asked {
  readonly attempt?: number | undefined;
  /** With the output itself, for those who cannot read the file. */
  readonly text?: boolean;
}

async function find(desk: Desk, subject: Subject, attempt: number | undefined): Promise<Log[]> {
  const { farm } = desk;
  if (subject.is === 'agent') return agentLogs(farm, { agent: subject.name }, attempt);
  if (subject.is === 'check') return checkLogs(desk, subject.name);
  if (subject.is === 'branch') return [];
  const checks = await taskChecks(desk, subject.ref, attempt);
  // By attempt everything of it is wanted; by task alone its agent's terminal only when nothing was checked.
  if (attempt === undefined && checks.length > 0) return checks;
  return [...(await agentLogs(farm, { task: subject.ref }, attempt)), ...checks];
}

/** The last run of a check: on the head, on a stack or on a tree that was named; one that runs now above all. */
async function checkLogs(desk: Desk, name: string): Promise<Log[]> {
  const isIt = (run: { tree: string; name: string }) => run.name === name || run.tree.startsWith(name);
  const running = (await runningChecks(desk.farm)).filter((run) => isIt({ tree: run.tree, name: run.check.name }));
  if (running.length > 0) return running.map((run) => runningLog(desk, run));
  const runs = await runsNamed(desk.farm.db, name, 20);
  if (runs.length === 0 && name === SETUP) return setupLogs(desk.farm);
  return newestOfEach(runs.filter(isIt)).map(endedLog);
}

async function taskChecks(desk: Desk, ref: string, attempt: number | undefined): Promise<Log[]> {
  const { farm, state } = desk;
  const entry = await openEntryOf(farm.db, ref);
  const chains = new Map([...state.queue.running.values()].map((run) => [run.log, run.chain]));
  const now = entry && (attempt === undefined || entry.attempt === attempt) ? entry.id : undefined;
  const running = (await runningChecks(farm)).filter((run) => now !== undefined && chains.get(run.log)?.includes(now));
  const ended = await checkLogsOfTask(farm, ref, attempt);
  if (attempt !== undefined) return [...ended.map(endedLog), ...running.map((run) => runningLog(desk, run))];
  if (running.length > 0) return running.map((run) => runningLog(desk, run));
  return newestOfEach(ended).map(endedLog);
}

/** The newest run of each check, in the order in which they ran. */
function newestOfEach(runs: readonly Run[]): Run[] {
  const newest = new Map<string, Run>();
  for (const run of runs) if (run.id > (newest.get(run.name)?.id ?? -1)) newest.set(run.name, run);
  return [...newest.values()].sort((a, b) => a.id - b.id);
}

const STATES = { pass: 'passed', fail: 'failed', error: 'error' } as const;

function endedLog({ name, log, outcome, detail, tree, at, ms }: Run): Log {
  return { what: 'check', name, path: log, state: STATES[outcome], detail, tree, tasks: [], attempt: null, at: iso(at), ms };
}

function runningLog({ state }: Desk, { check, log, tree, at, task }: RunningCheck): Log {
  const chain = [...state.queue.running.values()].find((run) => run.log === log)?.chain;
  const alone = task === null ? [] : [splitRef(task).id];
  const tasks = chain && chain.length > 1 ? [] : alone;
  return { what: 'check', name: check.name, path: log, state: 'running', detail: null, tree, tasks, attempt: null, at: iso(at), ms: null };
}

/** The terminal of an agent in its newest attempt, or in the attempt that was named: a file for each start of its process. */
async function agentLogs(farm: Farm, who: { agent?: string; task?: string }, n: number | undefined): Promise<Log[]> {
  const row = await newestAttempt(farm.db, who, n);
  // The output of an agent on another machine is there.
  if (!row || row.host !== null) return [];
  return Array.from({ length: row.launch }, (_, at) => attemptLog(farm, row, at + 1));
}

function attemptLog(farm: Farm, row: Selectable<AttemptRow>, launch: number): Log {
  const last = launch === row.launch;
  return {
    what: 'agent',
    name: row.agent,
    path: attemptFiles(farm.places, row.agent, row.id, launch).log,
    state: last && row.state !== 'ended' ? 'running' : 'ended',
    detail: last && row.outcome ? outcomeText(row.outcome, row.reason) : null,
    tree: null,
    tasks: [splitRef(row.task).id],
    attempt: row.n,
    at: iso(row.started),
    ms: row.ended === null ? null : row.ended - row.started,
  };
}

const MOST = 200;

/** The runs of checks that were about a task, the oldest first: alone, in the stack it landed with, or that it was sent back for. */
async function checkLogsOfTask(farm: Pick<Farm, 'db'>, ref: string, attempt?: number): Promise<Run[]> {
  const { db } = farm;
  const entries = await entriesOfTask(db, ref);
  const wanted = attempt === undefined ? entries : entries.filter((entry) => entry.attempt === attempt);
  if (wanted.length === 0) return [];
  const logs = await logsInEvents(db, ref);
  const trees = (await landingsWith(db, wanted.at(-1)!.id)).map((row) => row.tree);
  const runs = await runsWith(db, logs, trees);
  if (attempt === undefined) return runs;
  return runs.filter((run) => wanted.some(({ at, ended }) => run.at >= at && (ended === null || run.at <= ended)));
}

/** Logs that events about the task name: of checks of it alone, and of the one that it was sent back for. */
async function logsInEvents(db: Farm['db'], ref: string): Promise<string[]> {
  const events = await newestEvents(db, ['check.ended', 'task.handed-back'], MOST, ref);
  return events.flatMap(({ data }) => {
    const { log } = JSON.parse(data) as { log?: unknown };
    return typeof log === 'string' ? [log] : [];
  });
}

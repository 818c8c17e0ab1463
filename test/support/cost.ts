import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { verbOf } from '../../src/platform/git/at-work.ts';
import { writeBoard } from './board.ts';
import { farm } from './farm.ts';
import { allProcesses } from './processes.ts';
import { gitRepo } from './repo.ts';

/** What a landed task costs, each per task. */
export interface Cost {
  /** Gits that were started, by their command. */
  readonly gits: Readonly<Record<string, number>>;
  readonly gitsInAll: number;
  /** Processor time of the daemon itself, of its starter, and of what both started, in milliseconds. */
  readonly daemon: number;
  readonly starter: number;
  readonly children: number;
  readonly wall: number;
}

const CONFIG = 'agent: sh\nisolation: none\nagents:\n  sh: { driver: command, run: "sh do.sh" }\ncheck: "true"\n';
const AGENT = 'echo $FURROW_TASK > f$FURROW_TASK; git add -A; git commit --quiet --message work\n';

/** Lands tasks by instant agents through an instant check: what is left is furrow's own. `log`: gits are counted, which costs time itself. */
export async function costOf(tasks: number, { count, parallel = 4 }: { count: boolean; parallel?: number }): Promise<Cost> {
  await using repo = await gitRepo({ 'furrow.yaml': CONFIG, 'do.sh': AGENT });
  await writeBoard(
    repo,
    Array.from({ length: tasks }, (_, n) => ({ id: n + 1, title: `Task ${n + 1}` })),
  );
  await using running = farm({ ...repo, env: { ...repo.env, FURROW_LOG: count ? 'debug' : 'info' } });
  const { pid } = (await running.furrow('status', '--json')).json().farm as { pid: number };
  const log = () => readFileSync(join(repo.root, '.furrow/logs/daemon.log'), 'utf8').split('\n');
  const [before, skipped, begun] = [timesOf(pid), log().length, performance.now()];
  const { code, stderr } = await running.furrow('work', '--parallel', String(parallel));
  if (code !== 0) throw new Error(`furrow work ended with ${code}: ${stderr}`);
  const [after, wall] = [timesOf(pid), performance.now() - begun];
  const gits = count ? startedIn(log().slice(skipped - 1)) : [];
  const perTask = Object.entries(Object.groupBy(gits, (verb) => verb)).map(([verb, all]) => [verb, all!.length / tasks] as const);
  return {
    gits: Object.fromEntries(perTask.toSorted((a, b) => b[1] - a[1])),
    gitsInAll: gits.length / tasks,
    daemon: (after.own - before.own) / tasks,
    starter: (after.starter - before.starter) / tasks,
    children: (after.children - before.children) / tasks,
    wall: wall / tasks,
  };
}

/** Processor time of the daemon for one call of the command line, in milliseconds. */
export interface CallCost {
  readonly add: number;
  readonly submit: number;
}

/** Adds so many tasks and submits so many branches to a queue that is paused: what is left is the call itself and what it makes the daemon look at. */
export async function costOfCalls(times: number): Promise<CallCost> {
  await using repo = await gitRepo({ 'furrow.yaml': CONFIG, 'do.sh': AGENT });
  const numbers = Array.from({ length: times }, (_, n) => n + 1);
  for (const n of numbers) {
    await repo.git('switch', '--quiet', '--create', `work-${n}`, 'main');
    await repo.write(`f${n}`, `${n}\n`);
    await repo.commit(`work ${n}`);
  }
  await repo.git('switch', '--quiet', 'main');
  await using running = farm(repo);
  await running.furrow('queue', 'pause');
  const { pid } = (await running.furrow('status', '--json')).json().farm as { pid: number };
  const timed = async (call: (n: number) => readonly string[]) => {
    const before = timesOf(pid).own;
    for (const n of numbers) {
      const { code, stderr } = await running.furrow(...call(n));
      if (code !== 0) throw new Error(`furrow ${call(n).join(' ')} ended with ${code}: ${stderr}`);
    }
    return (timesOf(pid).own - before) / times;
  };
  return { add: await timed((n) => ['add', `Task ${n}`]), submit: await timed((n) => ['submit', `work-${n}`]) };
}

/** The times of a daemon, and of its starter. */
function timesOf(pid: number): { own: number; starter: number; children: number } {
  const starter = allProcesses().find(({ ppid, command }) => ppid === pid && command.includes('/starter/main.'));
  if (!starter) throw new Error(`the daemon ${pid} has no starter`);
  const [daemon, other] = [timeOf(pid), timeOf(starter.pid)];
  return { own: daemon.own, starter: other.own, children: daemon.children + other.children };
}

/** Processor time in milliseconds: the kernel counts hundredths of a second. */
function timeOf(pid: number): { own: number; children: number } {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields.slice(11, 15).map((ticks) => Number(ticks) * 10);
  return { own: user + system, children: childUser + childSystem };
}

function startedIn(lines: readonly string[]): string[] {
  return lines.filter(Boolean).flatMap((line) => {
    const { argv } = JSON.parse(line) as { argv?: string[] };
    const verb = argv && verbOf(argv);
    return verb === undefined ? [] : [verb];
  });
}

import { findRepo } from '../src/platform/git/repository.ts';
import { planQueue } from '../src/queue/plan.ts';
import { Executor } from '../test/queue/git/executor.ts';
import { Journal } from '../test/queue/git/journal.ts';
import { Slots } from '../test/queue/git/slots.ts';
import { bors } from '../test/sim/policies/bors.ts';
import { serial } from '../test/sim/policies/serial.ts';
import { zuul } from '../test/sim/policies/zuul.ts';
import type { Policy } from '../test/sim/simulate.ts';
import { HEAD, readChecks } from '../test/storm/queue-oracle.ts';
import { type End, wrongEnds } from '../test/storm/queue-truth.ts';
import { CALM_CHECK, CHECK, type Workload, workloadRepo } from '../test/storm/queue-workload.ts';
import { replayChecks } from '../test/support/oracle.ts';
import { plainEnv } from '../test/support/repo.ts';
import { type BenchOptions, median, type Row } from './measure.ts';
import { throughDaemon } from './queue-daemon.ts';

const CHANGES = 40;
const RETRIES = 1;
const WORK_SECONDS = 1;

/** The queues to compare. Without a policy it is the daemon itself, by `furrow submit`. */
const QUEUES: readonly { name: string; policy?: Policy; slots: number; batch: number }[] = [
  { name: 'serial', policy: serial, slots: 1, batch: 1 },
  { name: 'bors(5)', policy: bors, slots: 4, batch: 5 },
  { name: 'Zuul', policy: zuul, slots: 4, batch: 1 },
  { name: 'furrow(8)', policy: planQueue, slots: 4, batch: 8 },
  { name: 'daemon, serial', slots: 1, batch: 1 },
  { name: 'daemon, furrow(8)', slots: 4, batch: 8 },
];

interface Result {
  readonly seconds: number;
  readonly checks: number;
  readonly landings: number;
  readonly landed: number;
  readonly red: number;
}

/**
 * 40 branches at once, 17 % of which must not land, on real git with a check of one second. Every queue gets the same
 * workload; each repetition has another one. `raw` is one change after the other.
 */
export async function queue({ reps = 3, say }: BenchOptions): Promise<Row[]> {
  const results = new Map<string, Result[]>(QUEUES.map(({ name }) => [name, []]));
  for (let rep = 0; rep < reps; rep++) {
    for (const one of QUEUES) {
      const result = await measure(one, `bench-${rep}`);
      results.get(one.name)!.push(result);
      say(`${one.name}, workload ${rep + 1}: ${result.seconds.toFixed(1)} s`);
    }
  }
  const mid = (name: string, field: keyof Result) => median(results.get(name)!.map((result) => result[field]));
  say(line(['queue', 'makespan s', 'checks', 'landings', 'landed', 'red', 'to serial']));
  for (const { name } of QUEUES) {
    const speed = mid(name.startsWith('daemon') ? 'daemon, serial' : 'serial', 'seconds') / mid(name, 'seconds');
    const fields = (['seconds', 'checks', 'landings', 'landed', 'red'] as const).map((field) => mid(name, field));
    say(line([name, fields[0]!.toFixed(1), ...fields.slice(1).map(String), `${speed.toFixed(2)} x`]));
  }
  const rows = QUEUES.map(
    ({ name }): Row => ({
      what: `${CHANGES} branches, ${name}: makespan`,
      unit: 's',
      raw: mid(name.startsWith('daemon') ? 'daemon, serial' : 'serial', 'seconds'),
      furrow: mid(name, 'seconds'),
      reps,
      ...(name.includes('furrow') && { aim: { ratio: 0.4 } }),
    }),
  );
  const reds = QUEUES.flatMap(({ name }) => results.get(name)!.map(({ red }) => red));
  return [...rows, { what: 'red first-parent commits, all queues', unit: 'commits', furrow: Math.max(...reds), reps, aim: { value: 0 } }];
}

async function measure({ policy, slots, batch }: (typeof QUEUES)[number], seed: string): Promise<Result> {
  const config = `{ slots: ${slots}, batch: ${batch}, retries: ${RETRIES} }`;
  const workload = await workloadRepo({ seed, count: CHANGES, workSeconds: WORK_SECONDS, slow: 0, flakes: 0, queue: config });
  const { repo, first, changes } = workload;
  const run = policy ? await throughExecutor(workload, policy, slots, batch) : await throughDaemon(workload);
  const wrong = wrongEnds(changes, run.ends);
  if (wrong.length > 0) throw new Error(`not what the truth allows: ${wrong.join('; ')}`);
  const { commits, red } = await replayChecks(repo, HEAD, CALM_CHECK, first);
  const { started } = await readChecks(workload);
  await repo[Symbol.asyncDispose]();
  const landed = [...run.ends.values()].filter((end) => end === 'landed').length;
  return { seconds: run.ms / 1000, checks: started, landings: commits.length, landed, red: red.length };
}

async function throughExecutor(
  { repo, changes, witness }: Workload,
  policy: Policy,
  slots: number,
  batch: number,
): Promise<{ ms: number; ends: Map<number, End> }> {
  const found = await findRepo(repo.root);
  const check = { id: 'tree', name: 'check', run: CHECK, timeoutMs: 60_000, env: {} };
  const entries = await Promise.all(
    changes.map(async ({ id, branch, after }) => ({
      id,
      task: `default/${id}`,
      attempt: 1,
      agent: null,
      title: branch,
      sha: await repo.git('rev-parse', branch),
      at: id,
      keep: false,
      after: after.map((needed) => `default/${needed}`),
    })),
  );
  const journal = new Journal(entries);
  const env = { ...plainEnv(repo), FURROW_WITNESS: witness };
  const executor = new Executor(found, { policy, batch, retries: RETRIES, check }, new Slots(found, slots, env), journal);
  const started = performance.now();
  await executor.run();
  const ms = performance.now() - started;
  const ends = changes.map(({ id }): [number, End] => [id, journal.endOf(`default/${id}`) as End]);
  return { ms, ends: new Map(ends) };
}

const line = (cells: readonly string[]) => cells.map((cell) => cell.padEnd(20)).join('');

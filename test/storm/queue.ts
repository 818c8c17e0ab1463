import { setTimeout as sleep } from 'node:timers/promises';
import { furrow } from '../support/farm.ts';
import type { TestRepo } from '../support/repo.ts';
import { nothingLeft } from './invariants.ts';
import { buildMutant } from './people/mutants.ts';
import { queueMutants } from './queue-mutants.ts';
import { ENDED, endsOf, queueInvariants, readChecks, readQueue } from './queue-oracle.ts';
import { Strikes } from './queue-strikes.ts';
import { type Change, certain, isDrained } from './queue-truth.ts';
import { publishedAfterAll, touched, userAtWork, userState } from './queue-user.ts';
import { type Workload, workloadRepo } from './queue-workload.ts';
import type { Outcome, StormOptions } from './scenario.ts';

const LIMITS = { slots: 4, retries: 2 };
const CONFIG = `{ slots: ${LIMITS.slots}, batch: 8, retries: ${LIMITS.retries}, caches: [cache] }`;
const FLAKES = 5;
/** The queue must drain within this much for each change: a halt by flakes alone costs half a minute. */
const DRAIN_MS = 8000;

/**
 * Many branches at once, some bad, some of which lie to the checks of others, under `kill -9`. What lands is green, whole and what the truth
 * allows; the user notices nothing.
 */
export async function queue(options: StormOptions): Promise<Outcome> {
  return options.mutant === undefined ? play(options, undefined) : hunt(options);
}

/** The storm on products that believe what a check leaves behind, without flakes, which excuse a wrong end: each must be noticed. */
async function hunt(options: StormOptions): Promise<Outcome> {
  const wanted = queueMutants.filter(({ name }) => options.mutant === 'all' || options.mutant === name);
  if (wanted.length === 0)
    throw new Error(`there is no mutant ${options.mutant}; there are ${queueMutants.map(({ name }) => name).join(', ')}`);
  const [caught, missed] = [{} as Record<string, string>, [] as string[]];
  for (const mutant of wanted) {
    await using product = await buildMutant(mutant);
    const { violations } = await play({ ...options, kills: options.kills ?? 0 }, product.bin);
    const found = violations.find((line) => mutant.shows.test(line));
    if (found) caught[mutant.name] = found;
    else missed.push(`mutant ${mutant.name} was not caught; it did ${violations[0] ?? 'nothing'}`);
    options.say(`mutant ${mutant.name}: ${found ?? 'not caught'}`);
  }
  return { facts: { caught }, violations: missed };
}

async function play(options: StormOptions, bin: string | undefined): Promise<Outcome> {
  const count = options.tasks ?? 40;
  const [flakes, work] = bin === undefined ? [FLAKES, 1] : [0, 0.2];
  const terms = { seed: options.seed, count, workSeconds: work, slow: 25, flakes, queue: CONFIG, liars: true, bin };
  const workload = await workloadRepo(terms);
  options.opened(workload.repo);
  try {
    return await storm(workload, options);
  } catch (error) {
    await furrow(workload.repo, 'stop', '--all', '--now');
    throw error;
  }
}

async function storm(workload: Workload, options: StormOptions): Promise<Outcome> {
  const { repo, changes } = workload;
  const sure = certain(changes);
  const overlapped = sure[Math.floor(sure.length / 2)]!.path;
  await userAtWork(repo, overlapped);
  const user = await userState(repo);
  const strikes = new Strikes(repo, options);

  const [submitted] = await Promise.all([
    submitAll(repo, changes),
    strikes.all(options.kills ?? 30, async () => isDrained(changes, endsOf(await readQueue(repo)))),
  ]);
  const violations = [...submitted, ...strikes.violations, ...(await drain(workload)), ...(await takeOut(workload))];
  violations.push(...touched(user, await userState(repo)));
  violations.push(...(await queueInvariants(workload, LIMITS)));
  violations.push(...(await publishedAfterAll(repo, overlapped)));
  const { landings, entries } = await readQueue(repo);
  const { started, flakes, most, lies } = await readChecks(workload);
  violations.push(...(await nothingLeft(repo)));
  if (options.keep || violations.length > 0) options.say(`the repository is kept: ${repo.root}`);
  else await repo[Symbol.asyncDispose]();
  const ended = Object.fromEntries(
    Map.groupBy(entries, ({ state }) => state)
      .entries()
      .map(([state, all]) => [state, all.length]),
  );
  const facts = { changes: changes.length, kills: strikes.killed, recovery_ms: strikes.slowest, landings: landings.length, ...ended };
  return { facts: { ...facts, checks: started, flakes, lies, most_at_once: most }, violations };
}

/** One after the other while the storm goes on. One that fails is tried again, unless it got through after all. */
async function submitAll(repo: TestRepo, changes: readonly Change[]): Promise<string[]> {
  const failed: string[] = [];
  for (const { id, branch, after } of changes) {
    const words = ['submit', branch, '--task', String(id), ...(after.length > 0 ? ['--after', after.join(',')] : [])];
    let said = await furrow(repo, ...words);
    for (let tries = 1; said.code !== 0 && tries < 5; tries++) {
      if (endsOf(await readQueue(repo)).has(id)) break;
      said = await furrow(repo, ...words);
    }
    if (said.code !== 0 && !endsOf(await readQueue(repo)).has(id))
      failed.push(`furrow ${words.join(' ')}: exit ${said.code}: ${said.stderr}`);
  }
  return failed;
}

/** Waits until nothing moves any more; what stands still before that is named with its reason. */
async function drain({ repo, changes }: Workload): Promise<string[]> {
  const until = performance.now() + DRAIN_MS * changes.length;
  for (;;) {
    const seen = await readQueue(repo);
    if (isDrained(changes, endsOf(seen))) return [];
    if (performance.now() > until) {
      const open = seen.entries.filter(({ state }) => !ENDED.includes(state));
      return [`the queue has not drained: ${open.map(({ task, state, reason }) => `${task} is ${state} (${reason})`).join('; ')}`];
    }
    await sleep(500);
  }
}

/** What waits for something that will never land is taken out by hand, as a person would. */
async function takeOut({ repo }: Workload): Promise<string[]> {
  const open = (await readQueue(repo)).entries.filter(({ state }) => !ENDED.includes(state));
  const said = await Promise.all(open.map(async ({ task }) => ({ task, ...(await furrow(repo, 'queue', 'eject', task)) })));
  return said.filter(({ code }) => code !== 0).map(({ task, stderr }) => `furrow queue eject ${task}: ${stderr.trim()}`);
}

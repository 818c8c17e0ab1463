import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { processesOf } from '../../support/processes.ts';
import { kindOf } from '../victims.ts';
import { lines } from './git.ts';
import { branchesOf, chainOf, taskFiles } from './history.ts';
import type { Judge } from './judge.ts';
import { changedBytes, SETTLE_MS, settledStatus } from './mine.ts';
import type { Person } from './person.ts';
import type { ShownFarm } from './standstill.ts';
import { broken, type Violation } from './violation.ts';
import { ask, type World } from './world.ts';

/** After a step: everything that must hold, once furrow has seen what the person did. */
export async function verify(person: Person, judge: Judge): Promise<Violation[]> {
  const said = person.keepsStopped ? undefined : await ask(person.world, 'status', '--json');
  if (said && said.code !== 0) return broken('everything comes to its end', [`furrow status: exit ${said.code}: ${said.stderr.trim()}`]);
  if (said) person.force.settled(Date.now());
  const still = said && person.standstill.look(said.json() as ShownFarm, person.history.published.size, performance.now());
  return [
    ...broken('what is stuck is told', still === undefined ? [] : [still]),
    ...broken('git status is true', await settledStatus(person.world, person.mine, person.loose, person.keepsStopped ? 0 : SETTLE_MS)),
    ...(await glance(person, judge)),
    ...broken('everything comes to its end', await oneDaemon(person)),
  ];
}

/** What can be asked for at any moment in which the person does nothing, without waiting for anybody. */
export async function glance(person: Person, judge: Judge): Promise<Violation[]> {
  await person.history.poll([...person.targets]);
  return [
    ...(await untouched(person)),
    ...broken('no red landing', await judge.judge(person.history.landings, person.force)),
    ...broken('taken out stays out', await removedStaysOut(person)),
    ...broken('no task runs again', [...(await landedOnce(person)), ...(await ranAgain(person)), ...(await overlaps(person.world))]),
  ];
}

/** What must hold at every moment in which the person does nothing. */
export async function untouched(person: Person): Promise<Violation[]> {
  const { world, history } = person;
  const before = { head: person.head, stash: person.stash, branches: person.branches };
  await history.follow([...person.branches.keys()], [...person.targets]);
  const violations = await changedBytes(world, person.mine, person.loose);
  const branches = await branchesOf(world);
  for (const name of new Set([...branches.keys(), ...before.branches.keys()])) {
    if (person.targets.has(name) || branches.get(name) === before.branches.get(name)) continue;
    violations.push(
      `the person's branch ${name} went from ${before.branches.get(name) ?? 'nothing'} to ${branches.get(name) ?? 'nothing'}`,
    );
  }
  await person.observe();
  if (person.head !== before.head) violations.push(`HEAD went from ${before.head} to ${person.head}`);
  if (person.stash.join() !== before.stash.join()) violations.push(`the stash went from [${before.stash}] to [${person.stash}]`);
  return [...history.violations.splice(0), ...broken("nothing of the person's is lost", violations)];
}

async function removedStaysOut({ world, history, targets, retried, storeLost }: Person): Promise<string[]> {
  const found: string[] = [];
  for (const target of targets) {
    const there = await taskFiles(world, `refs/heads/${target}`);
    for (const [task, { since, from }] of history.removed) {
      if (from === target && there.has(task) && !retried.has(task) && storeLost < since)
        found.push(`the person took task ${task} out, and it is on ${target} again`);
    }
  }
  return found;
}

async function landedOnce({ world, targets, retried }: Person): Promise<string[]> {
  const found: string[] = [];
  for (const target of targets) {
    const tasks = (await chainOf(world, `${world.first}..${target}`)).flatMap((one) => one.tasks);
    for (const task of new Set(tasks.filter((one, n) => tasks.indexOf(one) !== n)))
      if (!retried.has(task)) found.push(`task ${task} landed ${tasks.filter((one) => one === task).length} times on ${target}`);
  }
  return found;
}

/** By the log that the agents write themselves. */
async function ranAgain({ world, history, retried, storeLost }: Person): Promise<string[]> {
  const log = lines(await readFile(join(world.witness, 'agents.log'), 'utf8')).map((line) => line.split(' '));
  return log.flatMap(([what, at, task, attempt]) => {
    const landed = history.published.get(Number(task));
    if (what !== 'start' || landed === undefined || Number(at) <= landed || retried.has(Number(task))) return [];
    // A landing that was taken out is on no branch: only the store knew of it.
    if (history.removed.has(Number(task)) && storeLost > landed) return [];
    return [`task ${task} had landed, and attempt ${attempt} of it started ${Number(at) - landed} ms later`];
  });
}

/** Two commands after a kill start one each; the loser needs seconds on a busy machine until it sees the lock of the other. */
async function oneDaemon({ world }: Person): Promise<string[]> {
  const until = performance.now() + SETTLE_MS;
  for (;;) {
    const daemons = processesOf(world.repo.base).filter((seen) => kindOf(seen) === 'daemon');
    if (daemons.length < 2) return [];
    if (performance.now() > until) return [`${daemons.length} daemons live: ${daemons.map(({ pid }) => pid).join(', ')}`];
    await sleep(100);
  }
}

async function overlaps(world: World): Promise<string[]> {
  const names = await readdir(world.witness);
  return names.filter((name) => name.startsWith('OVERLAP')).map((name) => `two agents at one task: ${name}`);
}

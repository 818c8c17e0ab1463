import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exec } from '../../../src/platform/exec.ts';
import { assertNoLeak } from '../../support/processes.ts';
import { plainEnv } from '../../support/repo.ts';
import { type Change, endsOf } from './changes.ts';
import { CHECK, fileOf, type Place } from './place.ts';
import type { Past } from './play.ts';

const HEAD = 'refs/furrow/head/main';

/** One value of the head, as git's own log of the ref has it, and what a check says of it in a clone that the queue never saw. */
interface Value {
  readonly commit: string;
  readonly green: boolean;
  readonly strayed: boolean;
  /** Changes named by its trailers; none: the user's own commit. */
  readonly names: readonly number[];
}

/** What the checks themselves wrote down. */
interface Witnessed {
  readonly starts: readonly { tree: string; living: number }[];
  readonly ends: readonly { tree: string; green: boolean }[];
}

/** The broken promises of a queue that has come to rest, each by its number. Nothing of what the queue says of trees is believed. */
export async function broken(past: Past): Promise<string[]> {
  const { place, workload, violations, seen } = past;
  const witnessed = await readWitness(place);
  const values = await replay(place);
  return [
    ...violations,
    ...values.filter(({ green }) => !green).map(({ commit }) => `Q1: ${commit} is red`),
    ...values.filter(({ strayed }) => strayed).map(({ commit }) => `Q12: the check does not leave ${commit} as it is`),
    ...(await rewritten(place)),
    ...(await leftBehind(past)),
    ...(await notClosed(past, values)),
    ...(await lost(past)),
    ...ends(past, values),
    ...(await hasty(past, values, witnessed)),
    ...(seen.length > 1 ? [`Q7: the user had\n${seen[0]}\nand has\n${seen.at(-1)}`] : []),
    ...witnessed.starts
      .filter(({ living }) => living > workload.slots)
      .map(({ living }) => `Q9: ${living} checks at once in ${workload.slots} slots`),
    ...(await assertNoLeak(place.repo.base, 300).then(
      () => [],
      (error: Error) => [`Q9: ${error.message}`],
    )),
    ...unproven(past, witnessed),
  ];
}

async function readWitness({ witness }: Place): Promise<Witnessed> {
  const lines = (await readFile(join(witness, 'log'), 'utf8')).split('\n').map((line) => line.split(' '));
  const of = (what: string) => lines.filter(([first]) => first === what);
  return {
    starts: of('start').map(([, tree = '', living]) => ({ tree, living: Number(living) })),
    ends: of('end').map(([, tree = '', code, how]) => ({ tree, green: code === '0' && how === 'clean' })),
  };
}

interface Moved {
  readonly from: string;
  readonly to: string;
  /** By a `git commit`, which only the user makes. */
  readonly byUser: boolean;
}

async function movesOf({ repo }: Place, ref: string): Promise<Moved[]> {
  const lines = (await readFile(join(repo.root, '.git/logs', ref), 'utf8')).split('\n').filter(Boolean);
  return lines.map((line) => {
    const [from = '', to = ''] = line.split(' ', 2);
    return { from, to, byUser: line.includes('\tcommit: ') };
  });
}

async function replay(place: Place): Promise<Value[]> {
  const { repo } = place;
  const clone = join(repo.base, 'replay');
  await repo.git('clone', '--quiet', '--shared', '--no-checkout', repo.root, clone);
  const values: Value[] = [];
  for (const { to: commit } of await movesOf(place, HEAD)) {
    await repo.git('-C', clone, 'checkout', '--quiet', '--force', '--detach', commit);
    const done = await exec(['sh', '-c', CHECK], { cwd: clone, env: plainEnv(repo), timeoutMs: 60_000 });
    const now = await repo.git('-C', clone, 'status', '--porcelain=v2', '--branch', '--untracked-files=no');
    const format = '%(trailers:key=Furrow-Task,valueonly,separator=%x20)';
    const names = (await repo.git('show', '--no-patch', `--format=${format}`, commit)).split(' ').filter(Boolean).map(Number);
    const strayed = !now.startsWith(`# branch.oid ${commit}\n`) || now.split('\n').length > 2;
    values.push({ commit, green: done.code === 0, strayed, names });
  }
  return values;
}

/** The user's branch only grows, and so does the head, unless it goes to where the user went. */
async function rewritten(place: Place): Promise<string[]> {
  const [users, heads] = await Promise.all(['refs/heads/main', HEAD].map((ref) => movesOf(place, ref)));
  const theirs = new Set(users!.filter(({ byUser }) => byUser).map(({ to }) => to));
  const found: string[] = [];
  for (const [moves, mayFollow] of [
    [users!, new Set<string>()],
    [heads!, theirs],
  ] as const) {
    for (const { from, to } of moves) {
      if (/^0+$/.test(from) || mayFollow.has(to)) continue;
      const grows = await place.repo.tryGit('merge-base', '--is-ancestor', from, to);
      if (grows.code !== 0) found.push(`Q2: ${to} does not descend from ${from}`);
    }
  }
  return found;
}

/** Where nothing of the user's is in the way, their branch is at the head when all is done. */
async function leftBehind({ place, workload }: Past): Promise<string[]> {
  const [user, head] = (await place.repo.git('rev-parse', 'refs/heads/main', HEAD)).split('\n');
  return user === head || workload.inTheWay ? [] : [`Q11: main is left at ${user}`];
}

async function notClosed({ place, workload: { changes } }: Past, values: readonly Value[]): Promise<string[]> {
  const found: string[] = [];
  for (const { commit, names } of values) {
    const needed = names.flatMap((id) => changes[id - 1]!.after ?? []);
    for (const id of needed) {
      const there = await place.repo.tryGit('cat-file', '-e', `${commit}:${fileOf(changes, changes[id - 1]!)}`);
      if (there.code !== 0) found.push(`Q3: ${commit} lands ${names.join(', ')} without ${id}`);
    }
  }
  return found;
}

const idOf = (task: string) => Number(task.slice(task.indexOf('/') + 1));
const landedIn = ({ journal }: Past) => new Set([...journal.landedTasks()].map(idOf));

/** Merging what has landed once more changes nothing. Nobody takes anything back in these workloads. */
async function lost(past: Past): Promise<string[]> {
  const { place, workload } = past;
  const tree = await place.repo.git('rev-parse', `${HEAD}^{tree}`);
  const found: string[] = [];
  for (const id of landedIn(past)) {
    const again = await place.repo.tryGit('merge-tree', '--write-tree', HEAD, place.entries[id - 1]!.sha);
    const file = await place.repo.tryGit('cat-file', '-e', `${HEAD}:${fileOf(workload.changes, workload.changes[id - 1]!)}`);
    if (again.stdout.trim() !== tree || file.code !== 0) found.push(`Q4: ${id} has landed, but not all of it is there`);
  }
  return found;
}

/** Each entry once; no two values of the head that are both there name the same change; all ends are those that the truth allows. */
function ends(past: Past, values: readonly Value[]): string[] {
  const { journal, workload } = past;
  const count = new Map<number, number>();
  for (const { entry } of journal.ends) count.set(entry.id, (count.get(entry.id) ?? 0) + 1);
  const twice = [...count]
    .filter(([id, times]) => times > 1 || journal.open.has(id))
    .map(([id]) => `Q5: entry ${id} has ended ${count.get(id)} times`);
  const landings = new Set(journal.landings.map((landing) => landing.new));
  const named = values.filter(({ commit }) => landings.has(commit)).flatMap(({ names }) => names);
  const again = named.filter((id, at) => named.indexOf(id) !== at).map((id) => `Q5: ${id} has landed twice`);
  const landed = landedIn(past);
  const ever = new Set(journal.ends.filter(({ state }) => state === 'landed').map(({ entry }) => idOf(entry.task)));
  const wrong = workload.changes.flatMap((one: Change) => {
    const end = journal.endOf(`default/${one.id}`);
    const allowed = endsOf(one, landed, ever);
    if (allowed.some((may) => may === end)) return [];
    return [`${end === 'open' ? 'Q11' : 'Q5'}: ${one.id} is ${end}, not ${allowed.join(' or ')}`];
  });
  return [...twice, ...again, ...wrong];
}

/** Rejected only for red runs of itself alone on a green head, as the checks saw them. */
async function hasty({ place, workload, journal }: Past, values: readonly Value[], { ends: runs }: Witnessed): Promise<string[]> {
  const found: string[] = [];
  for (const { entry } of journal.ends.filter(({ state }) => state === 'rejected')) {
    const heads = values.filter(({ green, strayed }) => green && !strayed);
    const merges = await Promise.all(heads.map(({ commit }) => place.repo.tryGit('merge-tree', '--write-tree', commit, entry.sha)));
    const alone = new Set(merges.flatMap(({ code, stdout }) => (code === 0 ? [stdout.trim()] : [])));
    const reds = runs.filter(({ tree, green }) => alone.has(tree) && !green).length;
    if (reds <= workload.retries)
      found.push(`Q6: ${entry.task} is rejected after ${reds} red runs alone, with ${workload.retries} retries`);
  }
  return found;
}

/** Every pass that the queue has noted was seen by a check on that very tree, before and after. */
function unproven({ journal }: Past, { ends: runs }: Witnessed): string[] {
  const passed = new Set(runs.filter(({ green }) => green).map(({ tree }) => tree));
  const wrong = journal.runs.filter(({ tree, outcome }) => outcome === 'pass' && !passed.has(tree));
  return wrong.map(({ tree }) => `Q12: a pass for ${tree}, which no check has seen from begin to end`);
}

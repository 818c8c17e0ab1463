import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { furrow, parseEvents } from '../support/farm.ts';
import { fsck, replayChecks } from '../support/oracle.ts';
import type { TestRepo } from '../support/repo.ts';
import { type Change, type End, wrongEnds } from './queue-truth.ts';
import { CALM_CHECK, type Workload } from './queue-workload.ts';

export const HEAD = 'refs/furrow/head/main';

interface Seen {
  readonly entries: readonly { task: string; state: string; reason: string | null }[];
  readonly landings: readonly { commit: string; tasks: readonly string[] }[];
}

export const ENDED: readonly string[] = ['landed', 'rejected', 'conflict', 'cancelled'];

/** How the queue says that each change ended. */
export function endsOf(seen: Seen): Map<number, End> {
  return new Map(seen.entries.map(({ task, state }) => [Number(task), ENDED.includes(state) ? (state as End) : 'open']));
}

export async function readQueue(repo: TestRepo): Promise<Seen> {
  return (await furrow(repo, 'queue', '--json')).json() as Seen;
}

/** What must hold once the queue has drained, whatever was killed on the way. Empty means that it does. */
export async function queueInvariants(workload: Workload, limits: { slots: number; retries: number }): Promise<string[]> {
  const { repo, changes, first } = workload;
  const seen = await readQueue(repo);
  const checks = await readChecks(workload);
  const wrong = wrongEnds(changes, endsOf(seen));
  return [
    ...wrong.filter((line) => !(line.includes('is rejected') && checks.flakedAgain(limits.retries + 1))),
    ...twice(seen.entries.map(({ task }) => task)).map((task) => `change ${task} has two entries`),
    ...(await endedOnce(repo, changes)),
    ...(await landedInOrder(repo, first, changes, endsOf(seen))),
    ...(await present(repo, changes, endsOf(seen))),
    ...(await neverRed(repo, first)),
    ...(checks.most > limits.slots ? [`${checks.most} checks ran at once in ${limits.slots} slots`] : []),
    ...(await fsck(repo)).map((line) => `git fsck: ${line}`),
  ];
}

const twice = (items: readonly string[]) => [...new Set(items.filter((item, n) => items.indexOf(item) !== n))];

export interface ChecksSeen {
  readonly started: number;
  readonly flakes: number;
  /** Most that lived at the same time. */
  readonly most: number;
  /** How often a branch lied to the checks after it. */
  readonly lies: number;
  /** Whether some tree was red by chance so often that even a good change may be rejected for it. */
  flakedAgain(times: number): boolean;
}

/** What the checks themselves wrote down. */
export async function readChecks({ witness }: Workload): Promise<ChecksSeen> {
  const lines = (await readFile(join(witness, 'checks.log'), 'utf8')).split('\n').map((line) => line.split(' '));
  const starts = lines.filter(([what]) => what === 'start');
  const flakes = lines.filter(([what]) => what === 'flake').map(([, tree]) => tree);
  const lied = await readFile(join(witness, 'lies.log'), 'utf8').catch(() => '');
  return {
    lies: lied.split('\n').filter((line) => line.startsWith('lied')).length,
    started: starts.length,
    flakes: flakes.length,
    most: Math.max(0, ...starts.map(([, , living]) => Number(living))),
    flakedAgain: (times) => flakes.some((tree) => flakes.filter((other) => other === tree).length >= times),
  };
}

/** One end for each entry in the log too: an end that was written twice would show only there. */
async function endedOnce(repo: TestRepo, changes: readonly Change[]): Promise<string[]> {
  const events = parseEvents((await furrow(repo, 'log', '--json')).stdout);
  const named = events.flatMap((event) => {
    if (event.kind === 'landing.landed') return event.data['tasks'] as string[];
    return event.kind === 'task.handed-back' || event.kind === 'entry.cancelled' ? [event.task ?? ''] : [];
  });
  const ids = named.map((ref) => Number(ref.slice(ref.lastIndexOf('/') + 1)));
  return changes.flatMap(({ id }) => {
    const count = ids.filter((one) => one === id).length;
    return count === 1 ? [] : [`the log ends change ${id} ${count} times`];
  });
}

/** Each landed change is named by one first-parent commit, and what it needs by the same or an earlier one. */
async function landedInOrder(repo: TestRepo, first: string, changes: readonly Change[], ends: ReadonlyMap<number, End>): Promise<string[]> {
  const format = '%H %(trailers:key=Furrow-Task,valueonly,separator=%x20)';
  const log = await repo.git('log', '--reverse', '--first-parent', `--format=${format}`, `${first}..${HEAD}`);
  const commits = log
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split(' ').slice(1).map(Number));
  const named = commits.flat();
  const violations = changes
    .filter(({ id }) => named.filter((one) => one === id).length !== (ends.get(id) === 'landed' ? 1 : 0))
    .map(({ id }) => `change ${id} is ${ends.get(id)}, but ${named.filter((one) => one === id).length} landings name it`);
  const before = new Set<number>();
  for (const ids of commits) {
    for (const id of ids) before.add(id);
    for (const id of ids)
      for (const needed of changes.find((one) => one.id === id)?.after ?? [])
        if (!before.has(needed)) violations.push(`change ${id} landed before ${needed}, which it needs`);
  }
  return violations;
}

/** Merging a landed branch once more changes nothing: all of it is there. */
async function present(repo: TestRepo, changes: readonly Change[], ends: ReadonlyMap<number, End>): Promise<string[]> {
  const tree = await repo.git('rev-parse', `${HEAD}^{tree}`);
  const lost: string[] = [];
  for (const { id, branch } of changes.filter((one) => ends.get(one.id) === 'landed')) {
    const again = await repo.tryGit('merge-tree', '--write-tree', HEAD, branch);
    const file = await repo.tryGit('diff', '--quiet', `${branch}:changes/${id}.txt`, `${HEAD}:changes/${id}.txt`);
    if (again.stdout.trim() !== tree || file.code !== 0) lost.push(`change ${id} has landed, but not all of it is there`);
  }
  return lost;
}

async function neverRed(repo: TestRepo, first: string): Promise<string[]> {
  const chains = await Promise.all([HEAD, 'main'].map(async (ref) => ({ ref, ...(await replayChecks(repo, ref, CALM_CHECK, first)) })));
  const behind = await repo.tryGit('merge-base', '--is-ancestor', 'main', HEAD);
  return [
    ...chains.flatMap(({ ref, red }) => red.map(({ commit, output }) => `${commit} on ${ref} is red: ${output.trim()}`)),
    ...(behind.code === 0 ? [] : ['main is not on the verified chain']),
  ];
}

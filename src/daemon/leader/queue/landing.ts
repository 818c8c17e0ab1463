import { runsWith } from '../../../queue/check-run/read.ts';
import type { QueuePlan } from '../../../queue/plan.ts';
import type { Chain, CheckSpec, QueueSnapshot } from '../../../queue/snapshot.ts';
import { aboutOf } from '../../../queue/verdict.ts';
import type { Built } from '../../../repo/merge/build-landing.ts';
import type { Lesson } from '../../../repo/merge/mend/learn.ts';
import type { FoundTask } from '../../../repo/merge/trailers.ts';
import type { Carried } from '../../../repo/merge/unpublished.ts';
import { reworkOf } from '../../../work/task/rework.ts';
import { tasksOf } from '../../../work/task/store.ts';
import type { LandArgs } from '../../acts/land/arguments.ts';
import { checksHash } from '../../farm/check-specs.ts';
import type { Farm } from '../../farm/farm.ts';
import type { QueueMemory } from './memory.ts';
import { unpublishedTasks } from './removed.ts';
import { stackEntries, stackOn } from './stack-up.ts';

/** The commit that a chain would land as. It is built before any decision, so that the checked commit is the one that lands. */
export async function buildChain(farm: Farm, memory: QueueMemory, snapshot: QueueSnapshot, chain: Chain): Promise<Built> {
  const stack = await stackOn(farm, memory);
  const own = snapshot.entries.filter((entry) => chain.includes(entry.id)).flatMap((entry) => entry.own);
  // In the configured order: the order of running changes with the times, and the same landing must be the same commit.
  const checks = [...new Set([...farm.config.checks, ...own].map((check) => check.name))];
  return stack.build(await stackEntries(farm, chain), checks, await carriedBy(farm, memory, snapshot));
}

/**
 * Open entries whose earlier, unpublished landing may be inside the work of others: they land with it. Entries with a check of their own,
 * or that need a person's yes, do not.
 */
async function carriedBy(farm: Farm, memory: QueueMemory, { entries }: QueueSnapshot): Promise<Carried> {
  const free = entries.filter(({ own, awaitsYes }) => own.length === 0 && !awaitsYes);
  const open = new Set(free.map(({ task, attempt }) => `${task} ${attempt}`));
  const stillOpen = (tasks: readonly FoundTask[]) => tasks.filter(({ ref, attempt }) => open.has(`${ref} ${attempt}`));
  return new Map([...(await unpublishedTasks(farm, memory))].map(([commit, tasks]) => [commit, stillOpen(tasks)]));
}

export async function landingOf(
  farm: Farm,
  memory: QueueMemory,
  snapshot: QueueSnapshot,
  landing: NonNullable<QueuePlan['land']>,
): Promise<LandArgs> {
  const built = await buildChain(farm, memory, snapshot, landing.entries);
  if (built.tree !== landing.tree) throw new Error(`${built.commit} does not have the tree that was checked`);
  const carried = snapshot.entries.filter((entry) =>
    built.carries.some(({ task, attempt }) => task === entry.task && attempt === entry.attempt),
  );
  return {
    // Entries inside the work of others come first: if it is queued again, they are below.
    entries: [...carried, ...built.entries].map(({ id, task, attempt }) => ({ id, task, attempt })),
    steps: built.steps,
    head: built.parent,
    tree: built.tree,
    commit: built.commit,
    unchecked: landing.unchecked,
    target: memory.target,
    checks: checksOf(snapshot, landing.entries),
    unchanged: await notRunOn(farm, built.tree, unchangedIn(snapshot, built.tree)),
    lessons: await lessonsOf(farm, built.entries),
  };
}

/** Names of the checks whose content is the same in a tree and in the head. */
export function unchangedIn({ checks, headTree, abouts = new Map() }: QueueSnapshot, tree: string): string[] {
  const same = ({ id }: CheckSpec) => aboutOf({ abouts }, tree, id) === aboutOf({ abouts }, headTree, id);
  return tree === headTree ? [] : checks.filter(same).map(({ name }) => name);
}

/** Leaves out checks that had never answered before, and so ran on this tree. */
async function notRunOn({ db }: Farm, tree: string, names: readonly string[]): Promise<string[]> {
  if (names.length === 0) return [];
  const ran = new Set((await runsWith(db, [], [tree])).map(({ name }) => name));
  return names.filter((name) => !ran.has(name));
}

/** Hash of the checks that entries are judged by in a snapshot. */
export function checksOf(snapshot: QueueSnapshot, ids: readonly number[]): string {
  const own = snapshot.entries.filter((entry) => ids.includes(entry.id)).flatMap((entry) => entry.own);
  return checksHash([...snapshot.checks, ...own].map((check) => check.id));
}

/** The resolutions to record from entries that were handed back for a conflict: their earlier work, and the head it conflicted with. */
async function lessonsOf({ db, config }: Farm, entries: Built['entries']): Promise<Lesson[]> {
  if (!config.queue.rerere) return [];
  const refs = entries.map((entry) => entry.task);
  const reworks = new Map((await tasksOf(db, refs)).map((task) => [task.ref, reworkOf(task)]));
  return entries.flatMap(({ task, sha }) => {
    const rework = reworks.get(task);
    return rework?.ours && rework.from ? [{ ours: rework.ours, theirs: rework.from, resolved: sha }] : [];
  });
}

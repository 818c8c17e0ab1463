import { branchOf } from '../../../journal/branch.ts';
import { append } from '../../../journal/event.ts';
import type { Tx } from '../../../journal/store.ts';
import { quotedIfNeeded } from '../../../platform/shell.ts';
import { landingsAt, landingsWith, removedLandings, workOf } from '../../../queue/landing/read.ts';
import { advanceLanding, type Landing } from '../../../queue/landing/store.ts';
import { idOf, landedAs } from '../../../repo/merge/message.ts';
import { entriesOfTask } from '../../../work/entry/read.ts';
import { closeQuestions, raiseQuestion } from '../../../work/question/store.ts';
import { reworkOf } from '../../../work/task/rework.ts';
import { findTaskRow, noteRework, reworkedTasks } from '../../../work/task/store.ts';
import type { Farm } from '../../farm/farm.ts';

/** Stores that a person took landings out of the target: they stay out. `kept`: attempts that are still there in other commits. */
export async function removeLandings(
  tx: Tx,
  target: string,
  commits: readonly string[],
  kept: ReadonlySet<string>,
  now: number,
): Promise<void> {
  for (const commit of commits) {
    const [landing] = (await landingsAt(tx, [commit])).filter(({ removed }) => removed === null);
    const missing = landing ? (await workOf(tx, landing)).filter(({ task, attempt }) => !kept.has(landedAs(task, attempt))) : [];
    if (!landing || missing.length === 0) continue;
    await advanceLanding(tx, landing.id, { on: 'removed', at: now });
    for (const { task, attempt, title } of missing) {
      const text = `you took ${idOf(task)} (${title}) out of ${target}: it stays out`;
      await append(tx, { kind: 'landing.removed', task, attempt, text, data: { commit } }, now);
      const branch = branchOf(task);
      const again =
        branch === undefined
          ? `furrow retry ${idOf(task)} does it again`
          : `furrow submit ${quotedIfNeeded(branch)} queues the branch again`;
      await raiseQuestion(tx, { kind: 'removed', subject: task, reason: `${text}. ${again}` }, now);
    }
  }
}

/**
 * Commits of landings that a rebase or an amended message replaced by copies, once the target has lost the copies too. The store knows only
 * the landing's own commit, so the work is found by its name.
 */
export async function removedCopies(farm: Farm, target: string, from: string, head: string): Promise<string[]> {
  const { db, git } = farm;
  const found = new Set<string>();
  for (const { ref, attempt } of await git.worksBetween(head, from)) {
    const entries = (await entriesOfTask(db, ref)).filter((one) => one.attempt === attempt && one.state === 'landed');
    const [landing] = (await Promise.all(entries.map(({ id }) => landingsWith(db, id)))).flat();
    if (landing?.target !== target || landing.removed !== null || landing.published === null) continue;
    if (!(await isThere(git, landing, landedAs(ref, attempt), head))) found.add(landing.commit);
  }
  return [...found];
}

/** True for work that a head has by its landing or by a copy. */
async function isThere(git: Farm['git'], { commit, parent }: Landing, name: string, head: string): Promise<boolean> {
  if (await git.isAncestor(commit, head).catch(() => false)) return true;
  // If git has removed the commit before the landing, it cannot bound the search.
  const before = await git.resolve(parent);
  return (await git.landedBetween(before, head)).has(name);
}

/** Landings that a person had taken out and has put back, unchanged or by other commits of the same work. */
export async function restored(farm: Farm, target: string, at: string, kept: ReadonlySet<string>): Promise<number[]> {
  const rows = await removedLandings(farm.db, target);
  const back: number[] = [];
  for (const row of rows) {
    const work = await workOf(farm.db, row);
    const same = work.length > 0 && work.every(({ task, attempt }) => kept.has(landedAs(task, attempt)));
    if (same || (await farm.git.isAncestor(row.commit, at))) back.push(row.id);
  }
  return back;
}

export async function restoreLandings(tx: Tx, target: string, ids: readonly number[], now: number): Promise<void> {
  for (const id of ids) {
    const landing = await advanceLanding(tx, id, { on: 'restored' });
    for (const { task, attempt } of landing ? await workOf(tx, landing) : []) {
      const text = `you put ${idOf(task)} back on ${target}`;
      await append(tx, { kind: 'landing.restored', task, attempt, text, data: { commit: landing!.commit } }, now);
      await closeQuestions(tx, 'removed', task, `it is on ${target} again`, now);
    }
  }
}

/** Tasks whose next attempt would start from commits with such a landing: they start anew, or it would come back with them. */
export async function tainted(farm: Farm, removed: readonly string[]): Promise<string[]> {
  if (removed.length === 0) return [];
  const tasks = await reworkedTasks(farm.db);
  const found: string[] = [];
  for (const task of tasks) {
    const from = reworkOf(task)?.from;
    for (const commit of from ? removed : [])
      if (await farm.git.isAncestor(commit, from!).catch(() => false)) {
        found.push(task.ref);
        break;
      }
  }
  return found;
}

export async function beginAnew(tx: Tx, tasks: readonly string[]): Promise<void> {
  for (const ref of tasks) {
    const task = await findTaskRow(tx, ref);
    const rework = task && reworkOf(task);
    if (!rework?.from) continue;
    const report = `${rework.report}\n\nThe earlier commits (${rework.from}) contain work that a person took out since: begin from the target.`;
    await noteRework(tx, ref, { ...rework, report, from: null });
  }
}

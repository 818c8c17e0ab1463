import { branchOf } from '../../../journal/branch.ts';
import { removedLandings, workOf } from '../../../queue/landing/read.ts';
import { type Landing, stepsOf } from '../../../queue/landing/store.ts';
import type { QueueEntry, QueueSnapshot } from '../../../queue/snapshot.ts';
import { idOf } from '../../../repo/merge/message.ts';
import type { TakenOut } from '../../../repo/merge/taken-out.ts';
import type { FoundTask } from '../../../repo/merge/trailers.ts';
import type { Carried } from '../../../repo/merge/unpublished.ts';
import type { Farm } from '../../farm/farm.ts';
import { handBack } from './hand-back.ts';
import { type QueueMemory, stateOf } from './memory.ts';

/** Work that a person took out of the target and that an entry would add again. */
interface BroughtBack {
  /** As in "its history contains …". */
  readonly what: string;
  /** Its name in later messages. */
  readonly name: string;
  /** The entry's own commits begin after this one. */
  readonly after: string;
}

/** A landing that a person took out of the target: the commits that bring it back, and what it was. */
interface Removed {
  readonly tasks: readonly string[];
  readonly title: string;
  /** The landing, the state after each of its entries, what a rebase made of it, and earlier unpublished landings of the same work. */
  readonly landed: readonly string[];
  readonly submitted: readonly string[];
}

/**
 * Hands back entries whose history has something that a person took out of the target, a landing or their own commit: an agent started on
 * top of it, and merging its branch would bring the removed work back under another name. `true`: something was handed back.
 */
export async function returnRemoved(farm: Farm, memory: QueueMemory, snapshot: QueueSnapshot): Promise<boolean> {
  if (snapshot.paused || snapshot.entries.length === 0 || !memory.head) return false;
  const { commits: out, landings } = await takenOutOf(farm, memory);
  const rows = await removedLandings(farm.db, memory.target);
  if (rows.length + out.size === 0) return false;
  const state = `${stateOf(memory)} ${rows.length}`;
  const unknown = snapshot.entries.filter((one) => memory.sound.get(one.id) !== state);
  if (unknown.length === 0) return false;
  const removed = await removedWork(farm, memory, rows, landings);
  let returned = false;
  for (const entry of unknown) {
    const found = (await landingIn(farm, memory.head, entry, removed)) ?? (await commitIn(farm, memory.head, entry, out));
    if (!found) {
      memory.sound.set(entry.id, state);
      continue;
    }
    const report = reportOf(memory, entry, found);
    const back = { entry: entry.id, state: 'conflict', report, anew: true } as const;
    await farm.db.transaction().execute((tx) => handBack(tx, farm, snapshot, back, farm.clock.now()));
    returned = true;
  }
  return returned;
}

/** The commits that are out of the target, the person's own and those of landings; they change only when the head does. */
async function takenOutOf({ db, git }: Farm, memory: QueueMemory): Promise<NonNullable<QueueMemory['takenOut']>> {
  const { head, target } = memory;
  const state = stateOf(memory);
  if (memory.takenOut?.state === state) return memory.takenOut;
  // A landing is taken out before the head follows.
  const landings = (await removedLandings(db, target)).length > 0 ? await git.landingsTakenOut(head) : new Map();
  memory.takenOut = { state, commits: await git.takenOut(head), landings };
  return memory.takenOut;
}

async function commitIn(farm: Farm, head: string, entry: QueueEntry, out: ReadonlyMap<string, TakenOut>): Promise<BroughtBack | undefined> {
  // A person who moves a commit from the target to a branch and submits that branch wants exactly this.
  if (branchOf(entry.task) !== undefined) return undefined;
  const found = await farm.git.bringsBack(head, entry.sha, out);
  return found && { what: `the commit ${found.commit.slice(0, 8)} (${found.subject})`, name: 'that commit', after: found.commit };
}

async function removedWork(farm: Farm, memory: QueueMemory, rows: readonly Landing[], out: Carried): Promise<Removed[]> {
  const { db } = farm;
  const others = rows.length === 0 ? [] : [...out, ...(await unpublishedTasks(farm, memory))];
  return Promise.all(
    rows.map(async (row) => {
      const work = await workOf(db, row);
      const steps = stepsOf(row).map(({ commit }) => commit);
      const submitted = work.map(({ sha }) => sha);
      const same = ({ ref, attempt }: FoundTask) => work.some((one) => one.task === ref && one.attempt === attempt);
      const elsewhere = others.flatMap(([commit, tasks]) => (tasks.some(same) ? [commit] : []));
      return {
        tasks: work.map(({ task }) => task),
        title: work[0]?.title ?? '',
        landed: [row.commit, ...steps, ...elsewhere],
        submitted,
      };
    }),
  );
}

/**
 * The first removed work in what an entry adds to the head. A task that is done again may build on its own earlier commits, and a person
 * who submits a branch with such commits again knows what is in it.
 */
async function landingIn(farm: Farm, head: string, entry: QueueEntry, removed: readonly Removed[]): Promise<BroughtBack | undefined> {
  const others = removed.filter(({ tasks }) => !tasks.includes(entry.task));
  if (others.length === 0) return undefined;
  // The merge will report a commit that does not exist.
  const added = await farm.git.addedTo(head, entry.sha);
  const byPerson = branchOf(entry.task) !== undefined;
  for (const { landed, submitted, tasks, title } of others) {
    const brings = new Set([...landed, ...(byPerson ? [] : submitted)]);
    const after = added.find((commit) => brings.has(commit));
    const name = tasks.map(idOf).join(', ');
    if (after !== undefined) return { what: `${name} (${title})`, name, after };
  }
  return undefined;
}

function reportOf({ target, head }: QueueMemory, { sha }: QueueEntry, { what, name, after }: BroughtBack): string {
  return [
    `its history contains ${what}, which a person took out of ${target}`,
    '',
    `The work of ${name} must not come back. Keep only your own changes, on top of ${target} as it is now (${head}).`,
    `Your earlier commits are still there: git rebase --onto ${head} ${after} ${sha}, or git cherry-pick ${after}..${sha}.`,
    `Where they need something of ${name}, find another way, or say with \`furrow blocked\` what is missing.`,
  ].join('\n');
}

/** Tasks inside commits of landings that were never published. They change only when the head does. */
export async function unpublishedTasks({ git }: Farm, memory: QueueMemory): Promise<Carried> {
  const state = stateOf(memory);
  if (memory.carried?.state !== state) memory.carried = { state, tasks: await git.carriedTasks(memory.head) };
  return memory.carried.tasks;
}

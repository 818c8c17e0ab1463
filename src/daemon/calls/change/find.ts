import type { Selectable } from 'kysely';
import type { EntryRow } from '../../../journal/rows/entry.ts';
import { FurrowError } from '../../../platform/error.ts';
import { resolve } from '../../../platform/git/refs.ts';
import { sinceTarget } from '../../../repo/merge/since-target.ts';
import { objectsIn } from '../../../repo/radar/scratch-objects.ts';
import { snapshotWork } from '../../../repo/radar/snapshot.ts';
import { lastAttemptAt } from '../../../work/attempt/store.ts';
import { entriesOfTask, lastEntryOf } from '../../../work/entry/read.ts';
import { reworkOf } from '../../../work/task/rework.ts';
import type { Farm } from '../../farm/farm.ts';
import { targetOf } from '../../farm/target-of.ts';
import type { Subject } from '../subject.ts';
import { folderOf, type WorkFolder } from '../work-folder.ts';
import { type Change, landedChange } from './landed.ts';

type Entry = Selectable<EntryRow>;

/** The change that a person means: work in hand, else what is in the queue, else what landed, else what was left behind. */
export async function changeOf(farm: Farm, subject: Subject, scratch: string, wanted?: Wanted): Promise<Change> {
  if (wanted !== undefined && subject.is === 'task') return wantedChange(farm, subject, scratch, wanted);
  const found = await (subject.is === 'task' ? taskChange(farm, subject, scratch) : otherChange(farm, subject, scratch));
  if (found) return found;
  throw new FurrowError('NO_CHANGE', `${subject.name} has no change to show: nobody has worked on it yet`, {
    hint: `furrow why ${subject.name}`,
  });
}

/** A change of a task that was asked for by its name. */
type Wanted = 'work' | 'entry' | 'landing';

const NAMES = { work: 'no work in hand', entry: 'nothing in the queue', landing: 'not landed' };

/** The one of the changes of a task that was asked for, or none: nobody is shown another one under its name. */
async function wantedChange(farm: Farm, subject: Subject & { is: 'task' }, scratch: string, wanted: Wanted): Promise<Change> {
  const { ref, task, name } = subject;
  const find: Record<Wanted, () => Promise<Change | undefined>> = {
    work: async () => {
      const folder = await folderOf(farm, subject);
      return folder && workInHand(farm, folder, scratch);
    },
    entry: async () => {
      const entry = await lastEntryOf(farm.db, ref);
      return entry && entryChange(farm, entry, entry.ended === null ? 'in the queue' : `${entry.state}, not in the queue any more`);
    },
    landing: async () => {
      const landed = (await entriesOfTask(farm.db, ref)).findLast(({ state }) => state === 'landed');
      return landed || task?.standing === 'landed' ? landedChange(farm, landed, task?.commit ?? null) : undefined;
    },
  };
  const found = await find[wanted]();
  if (found) return found;
  throw new FurrowError('NO_CHANGE', `${name} has no such change: ${NAMES[wanted]}`, { hint: `furrow why ${name}` });
}

async function otherChange(farm: Farm, subject: Subject, scratch: string): Promise<Change | undefined> {
  if (subject.is === 'branch') return branchChange(farm, subject.name, subject.sha);
  const folder = await folderOf(farm, subject);
  return folder && workInHand(farm, folder, scratch);
}

async function taskChange(farm: Farm, subject: Subject & { is: 'task' }, scratch: string): Promise<Change | undefined> {
  const { ref, task } = subject;
  const folder = await folderOf(farm, subject);
  if (folder?.attempt && folder.attempt.state !== 'ended') return workInHand(farm, folder, scratch);
  const entry = await lastEntryOf(farm.db, ref);
  if (entry && entry.ended === null) return entryChange(farm, entry, 'in the queue');
  const landed = entry?.state === 'landed' || task?.standing === 'landed';
  if (landed) return landedChange(farm, entry, task?.commit ?? null);
  const given = task && reworkOf(task);
  // Whoever took it over did more than the last attempt.
  if (given?.why === 'taken' && given.from !== null) return givenBack(farm, given.from);
  return leftBehind(farm, ref, folder, entry, scratch);
}

/** Of an attempt that has ended and is not in the queue: its worktree while it is there, else its commits. */
async function leftBehind(farm: Farm, ref: string, folder: WorkFolder | undefined, entry: Entry | undefined, scratch: string) {
  const attempt = await lastAttemptAt(farm.db, ref);
  if (folder) return workInHand(farm, folder, scratch);
  const newer = entry === undefined || (attempt !== undefined && attempt.n > entry.attempt);
  if (!newer) return entryChange(farm, entry, `${entry.state}, not in the queue any more`);
  const tip = attempt && (attempt.sha ?? (await resolve(farm.repo, `refs/heads/${attempt.branch}`)));
  if (!attempt || !tip) return entry && entryChange(farm, entry, `${entry.state}, not in the queue any more`);
  const target = targetOf(attempt, farm);
  const from = await sinceTarget(farm.repo, target, tip);
  const text = `attempt ${attempt.n} by ${attempt.agent}, ended, ${span(from, tip)} against ${target}; commits only`;
  return { shows: 'work' as const, from, to: tip, text, attempt: attempt.n, target, uncommitted: false, leftOut: [] };
}

async function givenBack(farm: Farm, to: string): Promise<Change> {
  const { target } = farm;
  const from = await sinceTarget(farm.repo, target, to);
  const text = `given back by a person, ${span(from, to)} against ${target}: what the next attempt starts from`;
  return { shows: 'work', from, to, text, attempt: null, target, uncommitted: false, leftOut: [] };
}

async function entryChange(farm: Farm, entry: Entry, where: string): Promise<Change> {
  const target = targetOf(entry, farm);
  const from = await sinceTarget(farm.repo, target, entry.sha);
  const by = entry.agent === null ? '' : ` by ${entry.agent}`;
  const text = `attempt ${entry.attempt}${by}, ${where}: ${span(from, entry.sha)}, what would land on ${target}`;
  return { shows: 'entry', from, to: entry.sha, text, attempt: entry.attempt, target, uncommitted: false, leftOut: [] };
}

async function branchChange(farm: Farm, name: string, sha: string): Promise<Change> {
  const { target } = farm;
  const from = await sinceTarget(farm.repo, target, sha);
  const text = `the branch's commits ${span(from, sha)} against ${target}; uncommitted changes are not in it`;
  return {
    shows: 'branch',
    from,
    to: sha,
    text: name === target ? `${name} is the target: nothing to compare it with` : text,
    attempt: null,
    target,
    uncommitted: false,
    leftOut: [],
  };
}

const span = (from: string, to: string) => `${from.slice(0, 9)}..${to.slice(0, 9)}`;

/** An agent that writes just now is looked at again, so often. */
const TRIES = 5;

/**
 * All that is in a worktree and not on the target, committed or not. Nothing in the worktree is touched: `scratch` is a folder
 * of ours, which gets a copy of the index and the objects of what is not committed.
 */
async function workInHand(farm: Farm, { path, branch, attempt }: WorkFolder, scratch: string): Promise<Change> {
  let found: Awaited<ReturnType<typeof snapshotWork>>;
  for (let tries = 0; !found && tries < TRIES; tries++)
    found = await snapshotWork(farm.repo, { worktree: path, fresh: `${scratch}/${tries}` });
  if (!found) throw new FurrowError('TRY_AGAIN', `${path} is being written to just now`, { hint: 'the same command again' });
  const target = attempt ? targetOf(attempt, farm) : farm.target;
  const { commit, head, objects, leftOut } = found;
  const from = await sinceTarget(farm.repo, target, commit, objects === undefined ? {} : { env: objectsIn(farm.repo, objects) });
  const who = attempt ? `attempt ${attempt.n} by ${attempt.agent}${attempt.state === 'ended' ? ', ended' : ''}` : 'work';
  const what = commit === head ? 'nothing uncommitted' : 'uncommitted and new files included';
  return {
    shows: 'work',
    from,
    to: commit,
    text: `${who}, in hand on ${branch ?? 'a detached head'}, since ${from.slice(0, 9)} of ${target}; ${what}`,
    attempt: attempt?.n ?? null,
    target,
    uncommitted: commit !== head,
    objects,
    leftOut: leftOut.map((one) => `${one.path} (${one.why})`),
  };
}

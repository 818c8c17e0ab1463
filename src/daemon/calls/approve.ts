import type { Handlers } from '../../api/server.ts';
import { append } from '../../journal/event.ts';
import type { Tx } from '../../journal/store.ts';
import { FurrowError } from '../../platform/error.ts';
import { asksPerson } from '../../queue/green-lacks-approval.ts';
import { reviewText } from '../../tell/face/review-text.ts';
import { entriesById, openEntries } from '../../work/entry/read.ts';
import { approveEntry, type Entry } from '../../work/entry/store.ts';
import { closeQuestions } from '../../work/question/store.ts';
import { splitRef } from '../../work/task/id.ts';
import { findTaskRow } from '../../work/task/store.ts';
import type { Farm } from '../farm/farm.ts';
import { assertNotLanding } from '../farm/landing-now.ts';
import { unqueuePins } from '../farm/pins.ts';
import { rulesFor } from '../leader/queue/approval.ts';
import { handBack } from '../leader/queue/hand-back.ts';
import { queueSnapshot } from '../leader/queue/snapshot.ts';
import { overrule } from '../leader/review/decide.ts';
import { assertInPlace } from './comments-in-place.ts';
import type { Desk } from './context.ts';

export const nameOf = (entry: Entry) => splitRef(entry.task).id;

/** A person's yes or no to what is in the queue. */
export function approvals(desk: Desk): Pick<Handlers, 'approve' | 'reject'> {
  const { farm } = desk;
  return {
    async approve({ tasks = [], all, commit }) {
      const entries = all ? await waiting(desk) : await Promise.all(tasks.map((name) => entryNamed(farm, name)));
      for (const entry of entries) assertCommit(entry, commit);
      return { approved: await approveAll(farm, entries) };
    },

    async reject({ task, reason, commit, comments = [] }) {
      const words = reviewText(reason, comments);
      if (words === '') throw new FurrowError('USAGE', 'say what to do differently', { hint: `furrow reject ${task} --reason TEXT` });
      const entry = await entryNamed(farm, task);
      assertCommit(entry, commit);
      await assertInPlace(farm, entry, comments);
      const parked = await rejectOne(farm, entry, words);
      const told = (await findTaskRow(farm.db, entry.task)) !== undefined;
      return { task: nameOf(entry), sha: entry.sha, parked, told };
    },
  };
}

/** A yes or a no is for the commit that the person saw. */
function assertCommit(entry: Entry, commit: string | undefined): void {
  if (commit === undefined || entry.sha.startsWith(commit)) return;
  const name = nameOf(entry);
  throw new FurrowError('OTHER_COMMIT', `${name} is in the queue with ${entry.sha.slice(0, 12)}, not with ${commit}`, {
    hint: `furrow diff ${name}`,
  });
}

/** The answer to the question about an entry: a yes, or a no with the words of the person. */
export async function decide(farm: Farm, task: string, text: string): Promise<void> {
  const entry = await entryNamed(farm, task);
  if (/^\s*(y|yes|ok|approve|approved|land it)\s*[.!]?\s*$/i.test(text)) await approveAll(farm, [entry]);
  else await rejectOne(farm, entry, text.trim());
}

async function approveAll(farm: Farm, entries: readonly Entry[]) {
  const now = farm.clock.now();
  const approved = await farm.db.transaction().execute(async (tx) => {
    const said = [];
    for (const entry of entries) said.push(await sayYes(tx, farm, entry, now));
    return said;
  });
  farm.wake();
  return approved;
}

export async function rejectOne(farm: Farm, entry: Entry, words: string): Promise<boolean> {
  const now = farm.clock.now();
  const parked = await farm.db.transaction().execute((tx) => sayNo(tx, farm, entry, words, now));
  await unqueuePins(farm.git, entry.task);
  farm.wake();
  return parked;
}

/** The entry with which a task or a branch is in the queue. */
export async function entryNamed({ db }: Farm, name: string): Promise<Entry> {
  const open = await openEntries(db);
  const short = name.replace(/^refs\/heads\//, '');
  const found = open.filter((one) => one.task === name || nameOf(one) === short);
  if (found.length === 1) return found[0]!;
  if (found.length === 0)
    throw new FurrowError('NOT_QUEUED', `${name} is not in the queue, so there is nothing to decide`, { hint: `furrow why ${name}` });
  throw new FurrowError('WHICH_TASK', `several phases have a task ${name} in the queue`, {
    hint: `say ${found.map((one) => one.task).join(' or ')}`,
  });
}

/** Entries waiting only for approval: what is not checked yet is not approved unseen. */
async function waiting({ farm, state }: Desk): Promise<Entry[]> {
  const snapshot = await queueSnapshot(farm, state.queue);
  const ids = snapshot.entries.filter((entry) => asksPerson(snapshot, entry)).map((entry) => entry.id);
  return entriesById(farm.db, ids);
}

async function sayYes(tx: Tx, farm: Farm, entry: Entry, now: number) {
  const task = await findTaskRow(tx, entry.task);
  const because = [...rulesFor(farm.config, entry, task)];
  const paths = entry.paths === null ? [] : (JSON.parse(entry.paths) as string[]);
  const name = nameOf(entry);
  if (await approveEntry(tx, entry.id, now)) {
    await overrule(tx, farm, entry, 'approved by you', now);
    const text = `you approved ${name} at ${entry.sha.slice(0, 8)}`;
    await append(tx, { kind: 'entry.approved', task: entry.task, attempt: entry.attempt, text, data: { sha: entry.sha } }, now);
    await closeQuestions(tx, 'approval', entry.task, 'approved', now);
  }
  return { task: name, sha: entry.sha, needed: because.length > 0, because, paths };
}

async function sayNo(tx: Tx, farm: Farm, entry: Entry, words: string, now: number): Promise<boolean> {
  await assertNotLanding(tx, entry);
  const report = `you did not let it land: ${words}`;
  await handBack(tx, farm, { entries: [entry] }, { entry: entry.id, state: 'rejected', report, refused: true }, now);
  await closeQuestions(tx, 'approval', entry.task, 'rejected', now);
  const task = await findTaskRow(tx, entry.task);
  return task?.standing === 'parked';
}

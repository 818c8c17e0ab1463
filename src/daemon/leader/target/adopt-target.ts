import { append } from '../../../journal/event.ts';
import { readMeta, type Tx, writeMeta } from '../../../journal/store.ts';
import { landedCommits, landingsAt, landingsToPublish } from '../../../queue/landing/read.ts';
import { entriesOf, forgetLanding } from '../../../queue/landing/store.ts';
import type { Adopted, KnownChain } from '../../../repo/merge/adopt.ts';
import { headRef } from '../../../repo/merge/target-refs.ts';
import { entriesById } from '../../../work/entry/read.ts';
import { queueAgain } from '../../../work/entry/store.ts';
import { raiseQuestion } from '../../../work/question/store.ts';
import { advance, findTaskRow } from '../../../work/task/store.ts';
import type { Farm } from '../../farm/farm.ts';
import { forgetTornHead, tornHead } from '../store-report.ts';
import { beginAnew, removedCopies, removeLandings, restored, restoreLandings, tainted } from './removed.ts';

/** A head further back than this many landings is not compared with the store. */
const LANDINGS = 2000;

const headKey = (target: string) => `head.${target}`;

/** Stores where the head of a target must be: if it is found elsewhere, somebody else moved it. */
export const noteHead = (tx: Tx, target: string, head: string): Promise<void> => writeMeta(tx, headKey(target), head);

/** Follows the user's branch, and stores what that means for the landings that were on it or waited for it. */
export async function adoptTarget(farm: Farm, target: string): Promise<Adopted> {
  return farm.git.adopt(target, {
    epoch: farm.epoch,
    known: () => knownChain(farm, target),
    store: (adopted) => storeAdopted(farm, target, adopted),
    async foreign({ at, pin, back }) {
      const [found, now] = [at.slice(0, 8), back.slice(0, 8)];
      const text = `${headRef(target)} was moved to ${found}, which furrow did not land. It is back at ${now}; nothing of ${found} is published. It is kept as ${pin}`;
      const time = farm.clock.now();
      await farm.db.transaction().execute(async (tx) => {
        await append(tx, { kind: 'head.foreign', text, data: { commit: at, back, pin } }, time);
        await raiseQuestion(tx, { kind: 'head', subject: at, reason: `${text}: git show ${found}` }, time);
      });
    },
  });
}

export async function knownChain({ db }: Farm, target: string): Promise<KnownChain> {
  // A landing that waits to be published is no commit of the user's, however old it is.
  const rows = [...(await landedCommits(db, target, LANDINGS)), ...(await landingsToPublish(db, target))];
  const landings = new Map(rows.map(({ commit, published }) => [commit, { published: published !== null }]));
  return { head: await readMeta(db, headKey(target)), landings, torn: await tornHead(db, target) };
}

async function storeAdopted(farm: Farm, target: string, { head, from, moved, lost, requeue, removed }: Adopted): Promise<void> {
  const told = from && moved !== 'created' ? await describe(farm, target, from, head) : undefined;
  const kept = from ? await farm.git.landedBetween(from, head) : new Set<string>();
  const back = await restored(farm, target, head, kept);
  const copies = from && moved === 'diverged' ? await removedCopies(farm, target, from, head) : [];
  const out = [...removed, ...copies.filter((commit) => !removed.includes(commit) && !requeue.includes(commit))];
  const anew = await tainted(farm, out);
  const now = farm.clock.now();
  await farm.db.transaction().execute(async (tx) => {
    await noteHead(tx, target, head);
    if (told) await append(tx, { kind: 'target.adopted', ...told }, now);
    if (lost) await tellLost(tx, target, lost, now);
    if (lost) await forgetTornHead(tx, target);
    await requeueLandings(tx, requeue, now, lost && 'lost a landing to git gc');
    await removeLandings(tx, target, out, kept, now);
    await restoreLandings(tx, target, back, now);
    await beginAnew(tx, anew);
  });
}

async function tellLost(tx: Tx, target: string, lost: string, now: number): Promise<void> {
  const ref = headRef(target);
  const text = `${ref} named ${lost.slice(0, 12)}, and git no longer has all of that: a git gc --prune=now or a git prune took it. What had landed and was not on ${target} yet is queued again`;
  await append(tx, { kind: 'ref.dropped', text, data: { ref, commit: lost } }, now);
  await raiseQuestion(tx, { kind: 'lost', subject: ref, reason: text }, now);
}

/** The commits that came with a move of the target, and who made the move, as far as the reflog says. */
async function describe(farm: Farm, target: string, from: string, head: string) {
  const move = await farm.git.lastMove(target);
  const who = move?.oid === head ? { by: move.by, how: move.message } : { by: null, how: null };
  const commits = await farm.git.subjectsBetween(from, head, 21);
  const list = commits.slice(0, 3).map(({ subject }) => subject);
  const count = commits.length > 20 ? 'more than 20' : `${commits.length}`;
  const news = commits.length === 0 ? '' : `, ${count} new: ${list.join('; ')}${commits.length > 3 ? '; …' : ''}`;
  const text = `${target} was moved to ${head.slice(0, 8)}${who.by ? ` by ${who.by} (${who.how})` : ''}${news}`;
  return { text, data: { from, to: head, commits: commits.slice(0, 20), ...who } };
}

/**
 * Queues landings again that the user's branch went past, or that git lost (`why`). The user's branch wins; the work goes through the queue
 * on top of it, in its order. Verdicts belong to trees, so unchanged trees are not checked twice.
 */
export async function requeueLandings(tx: Tx, commits: readonly string[], now: number, why = 'was moved by you'): Promise<void> {
  for (const landing of await landingsAt(tx, commits)) {
    const { commit } = landing;
    await forgetLanding(tx, landing.id);
    const ids = entriesOf(landing);
    const entries = await entriesById(tx, ids);
    // In the order they were stacked in: a later one may build on an earlier one.
    for (const entry of entries.sort((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id))) {
      const task = await findTaskRow(tx, entry.task);
      // A branch that was submitted without a task has only an entry, which is queued again.
      const event = { on: 'requeued', token: entry.attempt } as const;
      if (task && !(await advance(tx, entry.task, event, now, { commit: null, tell: { status: 'review' } }))) continue;
      await queueAgain(tx, entry, now);
      const text = `${landing.target} ${why}; ${entry.task} is queued again on top of it`;
      await append(tx, { kind: 'entry.requeued', task: entry.task, attempt: entry.attempt, text, data: { commit } }, now);
    }
  }
}

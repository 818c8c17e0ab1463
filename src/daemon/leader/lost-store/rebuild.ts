import { grantAbove, type Remembered, rememberLease } from '../../../agents/lease/store.ts';
import { append } from '../../../journal/event.ts';
import type { Tx } from '../../../journal/store.ts';
import { addLanding } from '../../../queue/landing/store.ts';
import { headRef } from '../../../repo/merge/target-refs.ts';
import type { FoundLanding } from '../../../repo/merge/trailers.ts';
import { addLanded, submitEntry } from '../../../work/entry/store.ts';
import { raiseQuestion } from '../../../work/question/store.ts';
import { splitRef } from '../../../work/task/id.ts';
import { advance, allTasks, readTask } from '../../../work/task/store.ts';
import type { Farm } from '../../farm/farm.ts';
import type { Stray } from '../../farm/host-side.ts';
import { readPin } from '../../farm/pins.ts';
import { landRule } from '../queue/approval.ts';
import { type Found, planRebuild, type Remains } from './plan.ts';

/**
 * Fills a new store from refs, pins and trailers after the old one was lost, and asks a person about the rest. The board was read before:
 * each of its tasks has a row. One transaction: if killed on the way, it is done again.
 */
export async function rebuild(farm: Farm, strays: readonly Stray[], held: readonly Remembered[] = []): Promise<void> {
  const remains = await whatIsLeft(farm, strays);
  const { tasks, unknown } = planRebuild(remains);
  const published = await publishedAmong(farm, remains.landings);
  const now = farm.clock.now();
  await farm.db.transaction().execute(async (tx) => {
    const refs = new Set((await allTasks(tx)).map(({ ref }) => ref));
    for (const landing of [...remains.landings].reverse()) await storeLanding(tx, farm, landing, published.has(landing.commit));
    for (const found of tasks) await storeTask(tx, farm, found, refs.has(found.task), now);
    for (const { agent, task, attempt } of strays)
      await append(
        tx,
        { kind: 'attempt.lost', agent, task, attempt, text: `${agent} was at work on ${task} when the store was lost, and was ended` },
        now,
      );
    for (const lease of held) await rememberLease(tx, lease, now);
    await grantAbove(tx, now);
    const count = (standing: Found['standing']) => tasks.filter((one) => one.standing === standing).length;
    const text = `the store was lost and made again from refs and trailers: ${count('landed')} landed, ${count('submitted')} queued again`;
    await append(tx, { kind: 'store.rebuilt', text, data: { unknown } }, now);
    const lost = 'check results, costs, messages, attempts that failed and open questions are not known any more';
    await raiseQuestion(tx, { kind: 'store', subject: 'store', reason: [text, ...unknown, lost].join('; ') }, now);
  });
}

const PREFIXES = ['refs/furrow/pin/', 'refs/heads/furrow/'];

async function whatIsLeft(farm: Farm, strays: readonly Stray[]): Promise<Remains> {
  const { git, target } = farm;
  const tips = (await Promise.all([headRef(target), `refs/heads/${target}`].map((ref) => git.resolve(ref)))).filter(
    (oid) => oid !== undefined,
  );
  const landings = await git.landingsOn(tips);
  const diverged = (await git.listRefs('refs/furrow/pin/diverged/')).map(({ oid }) => oid);
  const other = new Set([...landings.map(({ commit }) => commit), ...(await git.unpublishedLandings())]);
  const removed = (await git.landingsOn(diverged)).filter(({ commit }) => !other.has(commit));
  // One git for all refs: one for each took 20 s with 180 tasks, longer than a start is waited for.
  const merged = new Set((await git.refsWithin(tips, PREFIXES)).map(({ ref }) => ref));
  const pins: Remains['pins'][number][] = [];
  for (const { ref, oid } of await git.listRefs('refs/furrow/pin/')) {
    const pin = readPin(ref);
    if (pin) pins.push({ ...pin, sha: oid, landed: merged.has(ref) });
  }
  pins.sort((a, b) => (a.attempt ?? 0) - (b.attempt ?? 0));
  const branches: Remains['branches'][number][] = [];
  for (const { ref, oid } of await git.listRefs('refs/heads/furrow/'))
    branches.push({ name: ref.slice('refs/heads/'.length), sha: oid, landed: merged.has(ref) });
  return { landings, removed, pins, branches, strays };
}

/** Those landings that the target has. Nearly all are on its first-parent chain, which one git reads. */
async function publishedAmong({ git, target }: Farm, landings: readonly FoundLanding[]): Promise<Set<string>> {
  const tip = await git.resolve(`refs/heads/${target}`);
  const found = new Set((tip ? await git.landingsOn([tip]) : []).map(({ commit }) => commit));
  for (const { commit } of landings) if (tip && !found.has(commit) && (await git.isAncestor(commit, tip))) found.add(commit);
  return found;
}

/** The queue's own record of a landing, so that it is published, shown and found again as before. */
async function storeLanding(tx: Tx, farm: Farm, landing: FoundLanding, onTarget: boolean): Promise<void> {
  const { commit, tree, parent, at } = landing;
  const entries: number[] = [];
  for (const { ref, attempt, agent } of landing.tasks) {
    const title = landing.subject.replace(/^land [^:]+: /, '');
    entries.push(await addLanded(tx, { task: ref, attempt, agent, title, sha: commit, target: farm.target, at }));
  }
  const steps = entries.slice(-1).map((entry) => ({ entry, commit, tree }));
  const published = onTarget ? at : null;
  await addLanding(tx, { target: farm.target, commit, tree, parent, entries, steps, at, published, checks: null });
}

async function storeTask(tx: Tx, farm: Farm, found: Found, onBoard: boolean, now: number): Promise<void> {
  const { task: ref, attempt, standing, commit, entry } = found;
  const status = { landed: 'done', submitted: 'review', parked: 'todo', open: 'todo' }[standing];
  if (onBoard) await advance(tx, ref, { on: 'found', standing, token: attempt }, now, { commit, tell: { status } });
  if (!entry) return;
  const task = onBoard ? await readTask(tx, ref) : { ref, id: splitRef(ref).id, title: splitRef(ref).id };
  const { sha, target, byHand } = entry;
  // A former yes is no longer known, so it is asked for again.
  const by = byHand ? 'person' : 'agent';
  const asked = { by, rules: landRule(farm.config, by, onBoard ? await readTask(tx, ref) : undefined, ref) } as const;
  await submitEntry(tx, { task, attempt: entry.attempt, agent: null, sha, target, keep: farm.config.queue.keep_commits, asked }, now);
  if (byHand)
    await append(
      tx,
      {
        kind: 'entry.found',
        task: ref,
        attempt,
        text: `${ref} was submitted by a person; what it was to land after is not known any more`,
      },
      now,
    );
}

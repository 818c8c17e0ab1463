import { isAmong } from '../../../journal/elements.ts';
import { statement } from '../../../journal/statement.ts';
import { landingAt, workOf } from '../../../queue/landing/read.ts';
import { reviewAt } from '../../../queue/review/plan.ts';
import { reviewTrailer } from '../../../queue/review/report.ts';
import { reviewsOf } from '../../../queue/review/store.ts';
import { type Chain, chainKey, type QueueSnapshot } from '../../../queue/snapshot.ts';
import { named, type ProtectRules, protectedIn, withLinks } from '../../../repo/change-rules/protected.ts';
import type { StackResult } from '../../../repo/merge/conflict.ts';
import type { Forbids, StackEntry } from '../../../repo/merge/judge.ts';
import { readSaid } from '../../../work/attempt/end-report.ts';
import { landedOf } from '../../../work/entry/read.ts';
import { askedAtSubmit } from '../../../work/entry/submitter.ts';
import { wakeAt } from '../../farm/alarm.ts';
import type { Farm } from '../../farm/farm.ts';
import { protectRules } from '../../farm/protect.ts';
import type { States } from '../../farm/repository.ts';
import type { QueueMemory } from './memory.ts';
import { overIt, trouble } from './trouble.ts';

const AGAIN_MS = 1000;

/** The report about protected paths: the first line for people, all of it for the agent. */
function forbiddenText(paths: readonly string[], target: string): string | undefined {
  if (paths.length === 0) return undefined;
  const undo = `Put them back as they are on ${target} (git checkout ${target} -- PATH) and commit that. A person may change them, on ${target} itself.`;
  return `it changes protected paths: ${named(paths)}\n\n${undo}`;
}

/** The rule about protected paths, for merges onto the head as it is now. */
async function forbidsOf({ git }: Farm, { headTree, target }: QueueMemory, rules: ProtectRules): Promise<Forbids> {
  const links = await git.protectedLinks(headTree, rules);
  return ({ by = 'agent' }, paths) => forbiddenText(protectedIn(by, rules, withLinks(paths, links)), target);
}

/** The stack on the present head: carried over our own landing, else opened anew. */
export async function stackOn(farm: Farm, memory: QueueMemory): Promise<States> {
  const { history, message } = farm.config.queue;
  const rules = protectRules(farm);
  const terms = JSON.stringify([history, message, rules]);
  const known = memory.stack;
  if (known?.of.head === memory.head && known.terms === terms) return known.of;
  memory.mending ??= memory.openMending();
  const carried = known?.terms === terms ? known.of.advance(memory.head) : undefined;
  const of =
    carried ??
    (await farm.git.openStack({
      target: memory.target,
      history,
      message: message ?? undefined,
      committer: await farm.git.identityOf(),
      head: memory.head,
      headTree: memory.headTree,
      landed: await lastLanded(farm, memory.head),
      mend: memory.mending.mend,
      forbids: await forbidsOf(farm, memory, rules),
    }));
  memory.stack = { of, terms };
  // It helps later merges, and proves that a squashed worktree has landed; without it both only know less.
  await of.remember(farm.epoch).catch((error: Error) => farm.log.warn({ error: error.message }, 'what has landed could not be remembered'));
  return of;
}

/** The submitted commits of the landing at the head, in case a crash kept them from being remembered. */
async function lastLanded({ db }: Farm, head: string): Promise<string[]> {
  const landing = await landingAt(db, head);
  return landing ? (await workOf(db, landing)).map(({ sha }) => sha) : [];
}

const withWords = statement((db, { list }: { list: string }) =>
  db
    .selectFrom('entry')
    .leftJoin('attempt', (join) => join.onRef('attempt.task', '=', 'entry.task').onRef('attempt.n', '=', 'entry.attempt'))
    .leftJoin('task', 'task.ref', 'entry.task')
    .selectAll('entry')
    .select(['attempt.said', 'task.tags'])
    .where(isAmong(db, 'entry.id', list, 'bigint'))
    .orderBy('entry.id')
    .compile(),
);

/** Entries as the stack needs them, in the order of a chain. */
export async function stackEntries({ db }: Farm, ids: Chain): Promise<StackEntry[]> {
  if (ids.length === 0) return [];
  const { rows } = await withWords(db, { list: JSON.stringify(ids) });
  const reviews = await reviewsOf(db, [...new Set(rows.map(({ task }) => task))]);
  const landed = await landedOf(
    db,
    rows.map(({ task }) => task),
  );
  const byId = new Map(
    rows.map(({ said, tags, ...row }) => {
      const word = row.agent === null ? undefined : readSaid(said);
      const summary = word && 'done' in word ? word.done : null;
      const review = reviewTrailer(reviewAt(reviews, row));
      const landedBefore = landed
        .filter((one) => one.task === row.task && one.target === row.target && one.sha !== row.sha)
        .map(({ sha }) => sha);
      const also = { review, by: askedAtSubmit(row).by, keep: row.keep === 1, summary, tags: JSON.parse(tags ?? '[]') as string[] };
      return [row.id, { ...row, ...also, landedBefore }];
    }),
  );
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/**
 * Computes the merges that a plan asks for, but for those that are being computed. The loop looks again after each answer: with one look
 * after all of them, the next link of the chain waited for 32 merges onto a new head.
 */
export async function stackUp(farm: Farm, memory: QueueMemory, { head, stacked }: QueueSnapshot, chains: readonly Chain[]): Promise<void> {
  const named = chains.map((ids) => ({ ids, name: `${head} ${chainKey(ids)}` }));
  const asked = named.filter(({ name }) => !memory.merging.has(name));
  for (const { name } of asked) memory.merging.add(name);
  try {
    // No answer would change such a plan, and looking again at once would never end.
    if (chains.every((chain) => stacked.has(chainKey(chain)))) throw new Error(`the plan asks for known merges: ${chains.join(' ')}`);
    const stack = await stackOn(farm, memory);
    if (stack.head !== head) return farm.wake();
    const entries = new Map((await stackEntries(farm, [...new Set(asked.flatMap(({ ids }) => ids))])).map((entry) => [entry.id, entry]));
    // Begun in one go: what is merged onto the same state is merged by one git.
    const begun = asked.map((one) => {
      const chain = one.ids.map((id) => entries.get(id)!);
      return { ...one, chain, merged: stack.merge(chain) };
    });
    const failed: typeof begun = [];
    const follow = async (one: (typeof begun)[number]) => {
      const answer = await one.merged.catch(() => undefined);
      if (answer === undefined) return void failed.push(one);
      await answered(farm, memory, stack, one.chain, answer);
      memory.merging.delete(one.name);
      farm.wake();
    };
    await Promise.all(begun.map(follow));
    // Together they fail together: each by itself shows which one has the trouble.
    for (const { chain } of failed)
      if (await mergeAlone(farm, memory, stack, chain)) await answered(farm, memory, stack, chain, await stack.merge(chain));
    if (failed.length > 0) farm.wake();
  } catch (error) {
    farm.log.warn({ error: (error as Error).message }, 'merges could not be computed');
    wakeAt(farm, farm.clock.awake() + AGAIN_MS);
  } finally {
    for (const { name } of asked) memory.merging.delete(name);
  }
}

async function answered(farm: Farm, memory: QueueMemory, stack: States, chain: readonly StackEntry[], result: StackResult): Promise<void> {
  const last = chain.at(-1)!;
  await overIt(farm, memory, last);
  await memory.mending?.tell(last, stack.head, result);
}

async function mergeAlone(farm: Farm, memory: QueueMemory, stack: States, chain: readonly StackEntry[]): Promise<boolean> {
  const last = chain.at(-1)!;
  try {
    await stack.merge(chain);
    return true;
  } catch (error) {
    // The daemon is ending: an aborted merge is no trouble.
    if (memory.mending?.closed) return false;
    // A person's `git gc --prune=now` beside a landing can take what the head remembers.
    if (!(await stack.isSound()) && memory.stack?.of === stack) memory.stack = undefined;
    await trouble(farm, memory, last, (error as Error).message);
    return false;
  }
}

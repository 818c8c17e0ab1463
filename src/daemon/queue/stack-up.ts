import type { StackEntry } from '../../merge/judge.ts';
import { openStack, type Stack } from '../../merge/stack.ts';
import { diffPaths } from '../../platform/git/objects.ts';
import { identityOf } from '../../platform/git/repository.ts';
import { tryGit } from '../../platform/git/run.ts';
import { planQueue, type QueuePlan } from '../../queue/plan.ts';
import type { Chain, QueueSnapshot } from '../../queue/snapshot.ts';
import { wakeAt } from '../alarm.ts';
import type { Farm } from '../farm.ts';
import type { QueueMemory } from './memory.ts';

/** An entry whose merge could not be computed is left out for 1, 2, 4 … 60 s; the others go on without it. */
const TROUBLE_MS = 1000;
const TROUBLE_LATEST_MS = 60_000;

/** The stack on the head as it is now: carried over a landing of ours, else opened anew. */
export async function stackOn(farm: Farm, memory: QueueMemory): Promise<Stack> {
  const { history } = farm.config.queue;
  const known = memory.stack;
  if (known?.of.head === memory.head && known.history === history) return known.of;
  const carried = known?.history === history ? known.of.advance(memory.head) : undefined;
  const of =
    carried ??
    (await openStack(farm.repo, {
      target: farm.target,
      history,
      committer: await identityOf(farm.repo),
      head: memory.head,
      headTree: memory.headTree,
      landed: await lastLanded(farm, memory.head),
    }));
  memory.stack = { of, history };
  // A help to later merges, and the proof that a squashed worktree has landed; without it both only know less.
  await of.remember(farm.epoch).catch((error: Error) => farm.log.warn({ error: error.message }, 'what has landed could not be remembered'));
  return of;
}

/** The submitted commits of the landing that the head is, in case a crash kept them from being remembered. */
async function lastLanded({ db }: Farm, head: string): Promise<string[]> {
  const landing = await db.selectFrom('landing').select('entries').where('commit', '=', head).executeTakeFirst();
  if (!landing) return [];
  const ids = JSON.parse(landing.entries) as number[];
  return (await db.selectFrom('entry').select('sha').where('id', 'in', ids).execute()).map((row) => row.sha);
}

/** Entries as the stack needs them, in the order of a chain. */
export async function stackEntries({ db }: Farm, ids: Chain): Promise<StackEntry[]> {
  if (ids.length === 0) return [];
  const rows = await db.selectFrom('entry').selectAll().where('id', 'in', ids).execute();
  const byId = new Map(rows.map((row) => [row.id, { ...row, keep: row.keep === 1 }]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** Computes what a plan asks for, and what the plans after it ask for, until one knows all it needs. Then the loop looks again. */
export async function stackUp(farm: Farm, memory: QueueMemory, snapshot: QueueSnapshot, first: QueuePlan): Promise<void> {
  memory.stacking = true;
  try {
    const stack = await stackOn(farm, memory);
    const ids = snapshot.entries.map((entry) => entry.id);
    const entries = new Map((await stackEntries(farm, ids)).map((entry) => [entry.id, entry]));
    await notePaths(farm, snapshot);
    for (let plan = first; plan.stack.length > 0; plan = planQueue({ ...snapshot, stacked: stack.results() })) {
      const chains = plan.stack.map((chain) => chain.map((id) => entries.get(id)!));
      const answers = await Promise.allSettled(chains.map((chain) => stack.merge(chain)));
      const failed = answers.flatMap((answer, at) => (answer.status === 'rejected' ? [{ at, error: answer.reason as Error }] : []));
      for (const { at, error } of failed) trouble(farm, memory, chains[at]!.at(-1)!.id, error);
      if (failed.length > 0) return;
      for (const chain of chains) memory.troubled.delete(chain.at(-1)!.id);
    }
  } catch (error) {
    farm.log.warn({ error: (error as Error).message }, 'merges could not be computed');
    wakeAt(farm, farm.clock.now() + TROUBLE_MS);
    return;
  } finally {
    memory.stacking = false;
  }
  farm.wake();
}

/** Trouble of the machine, a killed git: no answer, so it is asked again. */
function trouble(farm: Farm, memory: QueueMemory, id: number, error: Error): void {
  const count = (memory.troubled.get(id)?.count ?? 0) + 1;
  const until = farm.clock.now() + Math.min(TROUBLE_LATEST_MS, TROUBLE_MS * 2 ** (count - 1));
  memory.troubled.set(id, { count, until });
  farm.log.warn({ entry: id, error: error.message }, 'a merge could not be computed');
  wakeAt(farm, until);
}

/** What each new entry changes, for the order and the risk of others. One that shares no history changes nothing. */
async function notePaths(farm: Farm, snapshot: QueueSnapshot): Promise<void> {
  const rows = await farm.db.selectFrom('entry').select(['id', 'sha']).where('ended', 'is', null).where('paths', 'is', null).execute();
  for (const { id, sha } of rows) {
    const base = (await tryGit(farm.repo, ['merge-base', snapshot.head, sha])).stdout.split('\n')[0];
    const paths = base ? await diffPaths(farm.repo, base, sha) : [];
    await farm.db
      .updateTable('entry')
      .set({ paths: JSON.stringify(paths) })
      .where('id', '=', id)
      .execute();
  }
}

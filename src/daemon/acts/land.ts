import type { Act } from '../../journal/act.ts';
import { append } from '../../journal/event.ts';
import { settleTask } from '../../journal/question.ts';
import { headRef, land, landingCommit, probeLanding } from '../../merge/land.ts';
import type { QueuePlan } from '../../merge/plan.ts';
import type { QueueSnapshot } from '../../merge/snapshot.ts';
import { FurrowError } from '../../platform/error.ts';
import { identityOf } from '../../platform/git/repository.ts';
import { splitRef } from '../../task/id.ts';
import { advance } from '../../task/store.ts';
import type { Farm } from '../farm.ts';
import type { QueueMemory } from '../queue.ts';

export interface LandArgs {
  readonly entries: readonly { readonly id: number; readonly task: string; readonly attempt: number }[];
  readonly head: string;
  readonly tree: string;
  readonly commit: string;
  readonly unchecked: boolean;
}

/** The landing as it will be: the commit is built before anything is decided about it, so what is checked is what lands. */
export async function landingFor(farm: Farm, snapshot: QueueSnapshot, landing: QueuePlan['land'][number]): Promise<LandArgs> {
  const ids = new Set(landing.entries);
  const rows = await farm.db.selectFrom('entry').selectAll().where('id', 'in', landing.entries).orderBy('id').execute();
  const entries = snapshot.entries.filter((entry) => ids.has(entry.id));
  const commit = await landingCommit(farm.repo, {
    head: landing.head,
    sha: entries.at(-1)!.sha,
    tree: landing.tree,
    entries: rows.map((row) => ({ task: row.task, attempt: row.attempt, agent: row.agent, title: row.title })),
    checks: [...snapshot.checks, ...entries.flatMap((entry) => entry.own)].map((check) => check.name),
    at: Math.max(...rows.map((row) => row.at)),
    committer: await identityOf(farm.repo),
    history: farm.config.queue.history,
  });
  return {
    entries: entries.map(({ id, task, attempt }) => ({ id, task, attempt })),
    head: landing.head,
    tree: landing.tree,
    commit,
    unchecked: landing.unchecked,
  };
}

/** Moves the verified chain by one commit: a single-ref compare-and-swap, fenced by the epoch. */
export function landAct(farm: Farm, memory: QueueMemory): Act<LandArgs, { landed: boolean }> {
  const move = (args: LandArgs) => ({ ref: headRef(farm.target), old: args.head, new: args.commit });
  return {
    kind: 'landing.land',

    async begin(tx, args) {
      const ids = args.entries.map((entry) => entry.id);
      const open = await tx.selectFrom('entry').select('id').where('id', 'in', ids).where('ended', 'is', null).execute();
      if (open.length < ids.length) throw new FurrowError('STALE', 'an entry has left the queue');
    },

    async probe(args) {
      const state = await probeLanding(farm.repo, move(args));
      return state === 'todo' ? undefined : { landed: state === 'done' };
    },

    async run(args) {
      const done = await land(farm.repo, { ...move(args), epoch: farm.epoch });
      return { landed: done.moved };
    },

    async finish(tx, args, result, now) {
      // Lost: the head went elsewhere. It is looked for anew, and the entries, which are still queued, are planned on it.
      if (!result.landed) {
        memory.head = '';
        return;
      }
      memory.head = args.commit;
      memory.headTree = args.tree;
      const ids = args.entries.map((entry) => entry.id);
      await tx
        .insertInto('landing')
        .values({
          target: farm.target,
          commit: args.commit,
          tree: args.tree,
          parent: args.head,
          entries: JSON.stringify(ids),
          at: now,
          published: null,
        })
        .execute();
      await tx
        .updateTable('entry')
        .set({ state: 'landed', reason: null, ended: now })
        .where('id', 'in', ids)
        .where('ended', 'is', null)
        .execute();
      for (const { task, attempt } of args.entries) {
        const note = `landed as ${args.commit.slice(0, 12)} on ${farm.target}`;
        await advance(tx, task, { on: 'landed', token: attempt }, now, {
          commit: args.commit,
          rework: null,
          failures: 0,
          crashes: 0,
          tell: { status: 'done', notes: [note] },
        });
        await settleTask(tx, task, 'landed', now);
      }
      const names = args.entries.map((entry) => splitRef(entry.task)?.id ?? entry.task);
      const loud = args.unchecked ? ' WITHOUT ANY CHECK: furrow.yaml has none' : '';
      const first = args.entries[0];
      await append(
        tx,
        {
          kind: 'landing.landed',
          task: first?.task ?? null,
          attempt: first?.attempt ?? null,
          text: `landed ${names.join(', ')} as ${args.commit.slice(0, 8)}${loud}`,
          data: { commit: args.commit, tree: args.tree, tasks: names },
        },
        now,
      );
    },
  };
}

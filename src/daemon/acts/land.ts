import type { Act } from '../../journal/act.ts';
import { append } from '../../journal/event.ts';
import { settleTask } from '../../journal/question.ts';
import { headRef, land, probeLanding } from '../../merge/land.ts';
import type { Lesson } from '../../merge/mend/learn.ts';
import { FurrowError } from '../../platform/error.ts';
import { splitRef } from '../../task/id.ts';
import { advance } from '../../task/store.ts';
import { noteHead } from '../adopt-target.ts';
import type { Farm } from '../farm.ts';
import { targetOf } from '../inputs/target.ts';
import type { QueueMemory } from '../queue/memory.ts';

export interface LandArgs {
  readonly entries: readonly { readonly id: number; readonly task: string; readonly attempt: number }[];
  /** The state after each of them, the last being that of the landing. */
  readonly steps: readonly { readonly entry: number; readonly commit: string; readonly tree: string }[];
  readonly head: string;
  readonly tree: string;
  readonly commit: string;
  readonly unchecked: boolean;
  /** The branch of all its entries. Missing in an intent of an earlier version. */
  readonly target?: string;
  /** Conflicts that the entries were handed back for. Missing in an intent of an earlier version. */
  readonly lessons?: readonly Lesson[];
}

/** Moves the verified chain by one commit: a single-ref compare-and-swap, fenced by the epoch. */
export function landAct(farm: Farm, memory: QueueMemory): Act<LandArgs, { landed: boolean }> {
  const move = (args: LandArgs) => ({ ref: headRef(targetOf(args, farm)), old: args.head, new: args.commit });
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
      const done = await land(farm.repo, { ...move(args), epoch: farm.epoch, parent: args.head });
      return { landed: done.moved };
    },

    async finish(tx, args, result, now) {
      const target = targetOf(args, farm);
      const here = target === memory.target;
      // Lost: the head went elsewhere. It is looked for anew, and the entries, which are still queued, are planned on it.
      if (!result.landed) {
        if (here) memory.head = '';
        return;
      }
      if (here) {
        memory.head = args.commit;
        memory.headTree = args.tree;
      }
      memory.mending?.learn(args.lessons ?? []);
      const ids = args.entries.map((entry) => entry.id);
      await noteHead(tx, target, args.commit);
      await tx
        .insertInto('landing')
        .values({
          target,
          commit: args.commit,
          tree: args.tree,
          parent: args.head,
          entries: JSON.stringify(ids),
          steps: JSON.stringify(args.steps),
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
        const note = `landed as ${args.commit.slice(0, 12)} on ${target}`;
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
          data: { commit: args.commit, tree: args.tree, tasks: names, refs: args.entries.map((entry) => entry.task) },
        },
        now,
      );
    },
  };
}

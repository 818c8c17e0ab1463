import { advanceEntry } from '../../entry/store.ts';
import type { LandArgs, Landed } from '../../farm/acts/landing.ts';
import type { Farm } from '../../farm/farm.ts';
import { checksInForce } from '../../farm/inputs/checks.ts';
import { targetOf } from '../../farm/inputs/target.ts';
import type { Act } from '../../journal/act.ts';
import { append } from '../../journal/event.ts';
import type { Db, Tx } from '../../journal/store.ts';
import { addLanding } from '../../landing/store.ts';
import { awaitsYes, isUnread } from '../../leader/queue/approval.ts';
import type { QueueMemory } from '../../leader/queue/memory.ts';
import { noteHead } from '../../leader/target/adopt-target.ts';
import { headRef, land, probeLanding } from '../../merge/land.ts';
import { FurrowError } from '../../platform/error.ts';
import { closeTaskQuestions } from '../../question/store.ts';
import { splitRef } from '../../task/id.ts';
import { advance } from '../../task/store.ts';

const DROPPED: Landed = { landed: false, dropped: true };

/** A rule that came into force since the plan was made may ask for a person's yes. */
async function assertAllowed(tx: Tx, { config }: Farm, ids: readonly number[]): Promise<void> {
  for (const row of await tx.selectFrom('entry').selectAll().where('id', 'in', ids).execute()) {
    const task = await tx.selectFrom('task').selectAll().where('ref', '=', row.task).executeTakeFirst();
    if (isUnread(config, row) || awaitsYes(config, row, task)) throw new FurrowError('STALE', `${row.task} waits for a person's yes`);
  }
}

const namesOf = (args: LandArgs) => args.entries.map((entry) => splitRef(entry.task)?.id ?? entry.task);

/** Moves the verified chain by one commit: a single-ref compare-and-swap, fenced by the epoch. */
export function landAct(farm: Farm, memory: QueueMemory): Act<LandArgs, Landed> {
  const move = (args: LandArgs) => ({ ref: headRef(targetOf(args, farm)), old: args.head, new: args.commit });
  const tasksOf = (args: LandArgs) => args.entries.map((entry) => entry.task);
  const isCurrent = async (db: Db | Tx, args: LandArgs) => args.checks === (await checksInForce(db, tasksOf(args)));
  return {
    kind: 'landing.land',

    async begin(tx, args) {
      const ids = args.entries.map((entry) => entry.id);
      const open = await tx.selectFrom('entry').select('id').where('id', 'in', ids).where('ended', 'is', null).execute();
      if (open.length < ids.length) throw new FurrowError('STALE', 'an entry has left the queue');
      if (!(await isCurrent(tx, args))) throw new FurrowError('STALE', 'the checks have changed');
      await assertAllowed(tx, farm, ids);
    },

    async probe(args) {
      const state = await probeLanding(farm.repo, move(args));
      if (state !== 'todo') return { landed: state === 'done' };
      return (await isCurrent(farm.db, args)) ? undefined : DROPPED;
    },

    async run(args) {
      // The checks may have changed since the intent was stored.
      if (!(await isCurrent(farm.db, args))) return DROPPED;
      const done = await land(farm.repo, { ...move(args), epoch: farm.epoch, parent: args.head });
      return { landed: done.moved };
    },

    async finish(tx, args, result, now) {
      const target = targetOf(args, farm);
      const here = target === memory.target;
      // Lost: the head went elsewhere. It is looked for anew, and the entries, which are still queued, are planned on it.
      if (!result.landed) {
        if (here) memory.head = '';
        const text = `${namesOf(args).join(', ')}: the checks have changed, so the new ones must pass first`;
        const refs = tasksOf(args);
        if (result.dropped) await append(tx, { kind: 'landing.dropped', task: refs[0] ?? null, text, data: { refs } }, now);
        return;
      }
      if (here) {
        memory.head = args.commit;
        memory.headTree = args.tree;
      }
      memory.mending?.learn(args.lessons ?? []);
      const ids = args.entries.map((entry) => entry.id);
      await noteHead(tx, target, args.commit);
      const { commit, tree, head: parent, steps, checks = null } = args;
      await addLanding(tx, { target, commit, tree, parent, entries: ids, steps, at: now, published: null, checks });
      for (const id of ids) await advanceEntry(tx, id, { on: 'landed' }, now, { reason: null, checks });
      for (const { task, attempt } of args.entries) {
        const note = `landed as ${args.commit.slice(0, 12)} on ${target}`;
        await advance(tx, task, { on: 'landed', token: attempt }, now, {
          commit: args.commit,
          rework: null,
          failures: 0,
          crashes: 0,
          tell: { status: 'done', notes: [note] },
        });
        await closeTaskQuestions(tx, task, 'landed', now);
      }
      const names = namesOf(args);
      const loud = args.unchecked ? ' WITHOUT ANY CHECK: furrow.yaml has none' : '';
      const first = args.entries[0];
      const unchanged = args.unchanged?.length ? `; nothing changed for the checks of other paths: ${args.unchanged.join(', ')}` : '';
      await append(
        tx,
        {
          kind: 'landing.landed',
          task: first?.task ?? null,
          attempt: first?.attempt ?? null,
          text: `landed ${names.join(', ')} as ${args.commit.slice(0, 8)}${loud}${unchanged}`,
          data: {
            commit: args.commit,
            tree: args.tree,
            target,
            checks: args.checks ?? null,
            tasks: names,
            refs: args.entries.map((entry) => entry.task),
            ...(args.unchanged?.length && { unchanged: args.unchanged }),
          },
        },
        now,
      );
    },
  };
}

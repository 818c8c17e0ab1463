import { append } from '../../../journal/event.ts';
import type { Db, Tx } from '../../../journal/store.ts';
import { FurrowError } from '../../../platform/error.ts';
import { addLanding } from '../../../queue/landing/store.ts';
import { entriesById } from '../../../work/entry/read.ts';
import { advanceEntry } from '../../../work/entry/store.ts';
import { closeTaskQuestions } from '../../../work/question/store.ts';
import { splitRef } from '../../../work/task/id.ts';
import { advance, findTaskRow, tasksOf } from '../../../work/task/store.ts';
import { checksHash, ownCheck } from '../../farm/check-specs.ts';
import { versionInForce } from '../../farm/inputs/versions.ts';
import { targetOf } from '../../farm/target-of.ts';
import type { Grounds, LeaderHalf } from '../../leader/act-half.ts';
import { awaitsYes, isUnread } from '../../leader/queue/approval.ts';
import { reviewWaits } from '../../leader/review/read.ts';
import { noteHead } from '../../leader/target/adopt-target.ts';
import type { LandArgs, Landed } from './arguments.ts';

/** A rule that came into force since the plan was made may ask for a person's approval, or for a review. */
async function assertAllowed(tx: Tx, farm: Grounds, ids: readonly number[]): Promise<void> {
  const reviews = await reviewWaits(farm, tx);
  for (const row of await entriesById(tx, ids)) {
    const task = await findTaskRow(tx, row.task);
    if (isUnread(row) || awaitsYes(farm.config, row, task)) throw new FurrowError('STALE', `${row.task} waits for a person's approval`);
    if (reviews.has(row.id)) throw new FurrowError('STALE', `${row.task} waits for a review`);
  }
}

const namesOf = (args: LandArgs) => args.entries.map((entry) => splitRef(entry.task)?.id ?? entry.task);

const landedTasks = (args: LandArgs) => args.entries.map((entry) => entry.task);

/** Lets entries land that may, and stores the landing with the end of each of them. */
export function land(farm: Grounds): LeaderHalf<'landing.land'> {
  return {
    facts: async ({ db }, args) => ({ judged: await isJudgedByChecks(db, args) }),

    async begin(tx, args) {
      const ids = args.entries.map((entry) => entry.id);
      const open = (await entriesById(tx, ids)).filter(({ ended }) => ended === null);
      if (open.length < ids.length) throw new FurrowError('STALE', 'an entry has left the queue');
      if (!(await isJudgedByChecks(tx, args))) throw new FurrowError('STALE', 'the checks have changed');
      await assertAllowed(tx, farm, ids);
    },

    async finish(tx, args, result, now, after) {
      const target = targetOf(args, farm);
      // Lost: the head went elsewhere. It is looked for anew, and the entries, which are still queued, are planned on it.
      const at = result.landed ? { head: args.commit, headTree: args.tree } : { head: '' };
      after(({ state: { queue } }) => {
        if (target === queue.target) Object.assign(queue, at);
        if (result.landed) queue.mending?.learn(args.lessons ?? []);
      });
      if (!result.landed) return tellDropped(tx, args, result, now);
      await storeLanding(tx, target, args, now);
      await tellLanded(tx, target, args, now);
    },
  };
}

async function tellDropped(tx: Tx, args: LandArgs, { dropped }: Landed, now: number): Promise<void> {
  if (!dropped) return;
  const text = `${namesOf(args).join(', ')}: the checks have changed, so the new ones must pass first`;
  const refs = landedTasks(args);
  await append(tx, { kind: 'landing.dropped', task: refs[0] ?? null, text, data: { refs } }, now);
}

async function storeLanding(tx: Tx, target: string, args: LandArgs, now: number): Promise<void> {
  const ids = args.entries.map((entry) => entry.id);
  await noteHead(tx, target, args.commit);
  const { commit, tree, head: parent, steps, checks = null } = args;
  await addLanding(tx, { target, commit, tree, parent, entries: ids, steps, at: now, published: null, checks });
  for (const id of ids) await advanceEntry(tx, id, { on: 'landed' }, now, { reason: null, checks });
  for (const { task, attempt } of args.entries) {
    const note = `landed as ${commit.slice(0, 12)} on ${target}`;
    await advance(tx, task, { on: 'landed', token: attempt }, now, {
      commit,
      rework: null,
      failures: 0,
      crashes: 0,
      tell: { status: 'done', notes: [note] },
    });
    await closeTaskQuestions(tx, task, 'landed', now);
  }
}

async function tellLanded(tx: Tx, target: string, args: LandArgs, now: number): Promise<void> {
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
        refs: landedTasks(args),
        ...(args.unchanged?.length && { unchanged: args.unchanged }),
      },
    },
    now,
  );
}

/** One hash of the checks that these tasks must pass now: those of the configuration in force, and the tasks' own. */
export async function checksInForce(db: Db | Tx, tasks: readonly string[]): Promise<string> {
  const version = await versionInForce(db);
  const own = (await tasksOf(db, tasks)).flatMap((row) => ownCheck(row.check)).map((check) => check.id);
  return checksHash([...(JSON.parse(version?.checks ?? '[]') as string[]), ...own]);
}

/** True when a landing was judged by the checks that are in force now. */
async function isJudgedByChecks(db: Db | Tx, { checks, entries }: Pick<LandArgs, 'checks' | 'entries'>): Promise<boolean> {
  const tasks = entries.map((entry) => entry.task);
  return checks === (await checksInForce(db, tasks));
}

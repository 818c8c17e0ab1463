import type { PublishArgs, Published } from '../../farm/acts/landing.ts';
import type { Farm } from '../../farm/farm.ts';
import { targetOf } from '../../farm/inputs/target.ts';
import { keepers } from '../../farm/keepers.ts';
import type { Act } from '../../journal/act.ts';
import { append } from '../../journal/event.ts';
import type { Tx } from '../../journal/store.ts';
import { advanceLanding } from '../../landing/store.ts';
import { publishedPointers } from '../../merge/large-files.ts';
import { probePublish, publish } from '../../merge/publish.ts';
import { send } from '../../message/store.ts';
import { isAncestor } from '../../platform/git/refs.ts';
import { closeQuestions, raiseQuestion } from '../../question/store.ts';

/** Publications of other targets may have come since. */
const LOOK_BACK = 50;

/** Lets the target and the user's checkout follow the verified chain, where that touches nothing of theirs. */
export function publishAct(farm: Farm, onDone: (args: PublishArgs, result: Published) => void): Act<PublishArgs, Published> {
  return {
    kind: 'landing.publish',

    async probe(args) {
      const state = await probePublish(farm.repo, targetOf(args, farm), args);
      return state === 'done' ? { published: true, reason: null, landings: await landedBy(farm, args) } : undefined;
    },

    async run(args) {
      const { old, new: to } = args;
      const done = await publish(farm.repo, targetOf(args, farm), { old, new: to, epoch: farm.epoch, keeperOf: await keepers(farm) });
      if (done.published) {
        // Only told: what is published stays so when this cannot be found out.
        const pointers = await publishedPointers(farm.repo, old, to).catch(() => []);
        return { published: true, reason: null, landings: await landedBy(farm, args), pointers };
      }
      return { published: false, reason: done.reason, ...(done.keeper && { keeper: done.keeper }) };
    },

    async finish(tx, args, result, now) {
      const target = targetOf(args, farm);
      if (result.published) {
        for (const id of result.landings ?? []) await advanceLanding(tx, id, { on: 'published', at: now });
        const text = `${target} is at ${args.new.slice(0, 8)}${pointersLeft(result.pointers ?? [])}`;
        if (args.old !== args.new) await append(tx, { kind: 'landing.published', text, data: { commit: args.new, target } }, now);
        await closeQuestions(tx, 'publish', target, 'published', now);
      } else {
        await tellWaiting(tx, target, result, now);
      }
      onDone(args, result);
    },

    async failed(_tx, args, error) {
      onDone(args, { published: false, reason: error.message });
    },
  };
}

/** The landings that wait to be published and are in what was: another one may have come meanwhile. */
async function landedBy(farm: Farm, args: PublishArgs): Promise<number[]> {
  const waiting = await farm.db
    .selectFrom('landing')
    .select(['id', 'commit'])
    .where('published', 'is', null)
    .where('target', '=', targetOf(args, farm))
    .orderBy('id')
    .execute();
  // They are one chain, oldest first.
  const last = waiting.findLastIndex(({ commit }) => commit === args.new);
  if (last >= 0) return waiting.slice(0, last + 1).map(({ id }) => id);
  const found: number[] = [];
  for (const { id, commit } of waiting) if (await isAncestor(farm.repo, commit, args.new)) found.push(id);
  return found;
}

/** Asks for what is in the way. An agent that has the target checked out is asked itself, once. */
async function tellWaiting(tx: Tx, target: string, { reason, keeper }: Published, now: number): Promise<void> {
  const { n } = await tx
    .selectFrom('landing')
    .select((e) => e.fn.countAll<number>().as('n'))
    .where('target', '=', target)
    .where('published', 'is', null)
    .executeTakeFirstOrThrow();
  const agent = keeper?.agent;
  const end = agent ? `; furrow stop ${agent} ends it` : '';
  const text = `${n} ${n === 1 ? 'landing waits' : 'landings wait'} for ${keeper?.name ?? 'your checkout'}: ${reason}${end}`;
  const opened = await raiseQuestion(tx, { kind: 'publish', subject: target, reason: text }, now);
  if (!opened || !agent) return;
  const body = `You have ${target} checked out in your worktree, and nothing can be published while you do. Go back to your own branch: git switch "$FURROW_BRANCH". Commit nothing to ${target}.`;
  await send(tx, { sender: 'furrow', receiver: agent, kind: 'notify', body }, now);
}

/** The remark about large files that only `git lfs pull` can bring. */
function pointersLeft(paths: readonly string[]): string {
  if (paths.length === 0) return '';
  const named = paths.length > 5 ? `${paths.slice(0, 5).join(', ')} and ${paths.length - 5} more` : paths.join(', ');
  return `; only pointers, their content is not here: ${named}; get it with: git lfs pull`;
}

/** The last publication of a target, if it was cut short: the branch may be ahead of the files, and only it can bring them along. */
export async function unfinished(farm: Farm, target: string): Promise<PublishArgs | undefined> {
  const rows = await farm.db
    .selectFrom('intent')
    .selectAll()
    .where('kind', '=', 'landing.publish')
    .orderBy('id', 'desc')
    .limit(LOOK_BACK)
    .execute();
  const last = rows.find((row) => targetOf(JSON.parse(row.args) as PublishArgs, farm) === target);
  if (!last || (last.state === 'done' && (JSON.parse(last.result ?? 'null') as Published | null)?.published)) return undefined;
  return JSON.parse(last.args) as PublishArgs;
}

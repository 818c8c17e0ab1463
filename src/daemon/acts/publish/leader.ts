import { send } from '../../../agents/message/store.ts';
import { append } from '../../../journal/event.ts';
import type { Tx } from '../../../journal/store.ts';
import { landingsToPublish } from '../../../queue/landing/read.ts';
import { advanceLanding } from '../../../queue/landing/store.ts';
import { closeQuestions, raiseQuestion } from '../../../work/question/store.ts';
import { targetOf } from '../../farm/target-of.ts';
import type { Grounds, LeaderHalf, Memory } from '../../leader/act-half.ts';
import { stateFor } from '../../leader/queue/switch-target.ts';
import { published } from '../../leader/target/target.ts';
import { readOwners } from '../../leader/worktree-owners.ts';
import type { Published } from './arguments.ts';

/** Stores that the target follows the head, or asks for what is in its way. */
export function publish(at: Grounds): LeaderHalf<'landing.publish'> {
  const note =
    (target: string, result: Published) =>
    ({ farm, state }: Memory) => {
      const about = stateFor(state, target);
      if (about) published(farm, about, result);
    };
  return {
    async facts(farm, args) {
      const waiting = await landingsToPublish(farm.db, targetOf(args, farm));
      return { waiting: waiting.map(({ id, commit }) => ({ id, commit })), kept: await readOwners(farm) };
    },

    async finish(tx, args, result, now, after) {
      const target = targetOf(args, at);
      if (result.published) {
        for (const id of result.landings ?? []) await advanceLanding(tx, id, { on: 'published', at: now });
        const text = `${target} is at ${args.new.slice(0, 8)}${pointersLeft(result.pointers ?? [])}`;
        if (args.old !== args.new) await append(tx, { kind: 'landing.published', text, data: { commit: args.new, target } }, now);
        await closeQuestions(tx, 'publish', target, 'published', now);
      } else {
        await tellWaiting(tx, target, result, now);
      }
      after(note(target, result));
    },

    async failed(_tx, args, error, _now, after) {
      after(note(targetOf(args, at), { published: false, reason: error.message }));
    },
  };
}

/** Asks for what is in the way. An agent that has the target checked out is asked itself, once. */
async function tellWaiting(tx: Tx, target: string, { reason, keeper }: Published, now: number): Promise<void> {
  const n = (await landingsToPublish(tx, target)).length;
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

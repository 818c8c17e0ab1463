import { isAncestor } from '../../../platform/git/refs.ts';
import { remember } from '../../../repo/merge/adopt.ts';
import { publishedPointers } from '../../../repo/merge/large-files.ts';
import { probePublish, publish as publishTarget } from '../../../repo/merge/publish.ts';
import { targetOf } from '../../farm/target-of.ts';
import { ownerIn } from '../../farm/worktree-owners.ts';
import type { Host } from '../../host/host.ts';
import type { HostHalf } from '../table.ts';
import type { PublishArgs, PublishFacts } from './arguments.ts';

/** Lets the target and the user's checkout follow the verified chain, where that touches nothing of theirs. */
export function publish(farm: Host): HostHalf<'landing.publish'> {
  return {
    async probe(args, facts) {
      const state = await probePublish(farm.repo, targetOf(args, farm), args);
      return state === 'done' ? { published: true, reason: null, landings: await landedBy(farm, args, facts) } : undefined;
    },

    // The branch has moved and the files have not: a commit of the person's would take the landing back.
    begun: async (args) => (await probePublish(farm.repo, targetOf(args, farm), args)) === 'sync',

    async run(args, facts) {
      const { old, new: to } = args;
      const keeperOf = ownerIn(farm.places, facts.kept);
      const done = await publishTarget(farm.repo, targetOf(args, farm), { old, new: to, epoch: farm.epoch, keeperOf });
      if (done.published) {
        // A farm that is stopped right after has nothing left to note: whoever looks at it then changes no ref.
        // What is published stays so when that fails, or when its pointers cannot be found out.
        await remember(farm.repo, targetOf(args, farm), to).catch(() => {});
        const pointers = await publishedPointers(farm.repo, old, to).catch(() => []);
        return { published: true, reason: null, landings: await landedBy(farm, args, facts), pointers };
      }
      return { published: false, reason: done.reason, ...(done.keeper && { keeper: done.keeper }) };
    },
  };
}

/** The landings that wait to be published and are in what was: another one may have come meanwhile. */
async function landedBy(farm: Host, args: PublishArgs, { waiting }: PublishFacts): Promise<number[]> {
  const last = waiting.findLastIndex(({ commit }) => commit === args.new);
  if (last >= 0) return waiting.slice(0, last + 1).map(({ id }) => id);
  const found: number[] = [];
  for (const { id, commit } of waiting) if (await isAncestor(farm.repo, commit, args.new)) found.push(id);
  return found;
}

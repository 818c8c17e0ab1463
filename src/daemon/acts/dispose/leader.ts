import { append } from '../../../journal/event.ts';
import { lastTarget } from '../../farm/inputs/target.ts';
import type { LeaderHalf } from '../../leader/act-half.ts';

/** Tells that a worktree is in the trash. */
export const dispose: LeaderHalf<'worktree.dispose'> = {
  facts: async (farm, { agent }) => ({ target: await lastTarget(farm, agent) }),

  async finish(tx, args, result, now) {
    if (!result.removed) return;
    await append(
      tx,
      {
        kind: 'worktree.disposed',
        agent: args.agent,
        text: `the worktree of ${args.agent} held nothing of its own and is in the trash`,
        data: { path: args.path },
      },
      now,
    );
  },
};

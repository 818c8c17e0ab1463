import { append } from '../../../journal/event.ts';
import type { LeaderHalf } from '../../leader/half.ts';

/** Tells that a worktree is in the trash. */
export const dispose: LeaderHalf<'worktree.dispose'> = {
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

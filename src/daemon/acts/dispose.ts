import type { Act } from '../../journal/act.ts';
import { append } from '../../journal/event.ts';
import { headRef } from '../../merge/land.ts';
import { resolve } from '../../platform/git/refs.ts';
import { disposable, toTrash } from '../../worktree/dispose.ts';
import type { Farm } from '../farm.ts';

export interface DisposeArgs {
  readonly path: string;
  readonly agent: string;
}

interface Disposed {
  readonly removed: boolean;
  readonly reason: string | null;
}

/** Moves a worktree that holds nothing unique into the trash. In doubt it stays. */
export function disposeAct(farm: Farm): Act<DisposeArgs, Disposed> {
  return {
    kind: 'worktree.dispose',
    probe: async () => undefined,
    async run({ path }) {
      const target = await resolve(farm.repo, headRef(farm.target));
      if (!target) return { removed: false, reason: 'there is no verified head to compare with' };
      const verdict = await disposable(farm.repo, path, { target });
      if (!verdict.ok) return { removed: false, reason: verdict.reason };
      await toTrash(farm.repo, path, verdict.landed);
      return { removed: true, reason: null };
    },
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
}

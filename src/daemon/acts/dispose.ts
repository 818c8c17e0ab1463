import type { DisposeArgs, Disposed } from '../../farm/acts/worktree.ts';
import type { Farm } from '../../farm/farm.ts';
import { targetOf } from '../../farm/inputs/target.ts';
import type { Act } from '../../journal/act.ts';
import { append } from '../../journal/event.ts';
import { headRef } from '../../merge/land.ts';
import { resolve } from '../../platform/git/refs.ts';
import { disposable, toTrash } from '../../worktree/dispose.ts';

/** The branch that an agent's last work was for: by its head the work is known to have landed. */
export async function lastTarget(farm: Farm, agent: string): Promise<string> {
  const row = await farm.db.selectFrom('attempt').select('target').where('agent', '=', agent).orderBy('id', 'desc').executeTakeFirst();
  return targetOf(row ?? {}, farm);
}

/** Moves a worktree that holds nothing unique into the trash. In doubt it stays. */
export function disposeAct(farm: Farm): Act<DisposeArgs, Disposed> {
  return {
    kind: 'worktree.dispose',
    probe: async () => undefined,
    async run({ path, agent }) {
      const target = await resolve(farm.repo, headRef(await lastTarget(farm, agent)));
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

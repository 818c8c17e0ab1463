import { resolve } from '../../../platform/git/refs.ts';
import { headRef } from '../../../repo/merge/target-refs.ts';
import { disposable, toTrash } from '../../../repo/worktree/dispose.ts';
import type { Host } from '../../host/host.ts';
import type { HostHalf } from '../table.ts';

/** Moves a worktree that holds nothing unique into the trash. In doubt it stays. */
export function dispose(farm: Host): HostHalf<'worktree.dispose'> {
  return {
    probe: async () => undefined,
    async run({ path }, facts) {
      const target = await resolve(farm.repo, headRef(facts.target));
      if (!target) return { removed: false, reason: 'there is no verified head to compare with' };
      const verdict = await disposable(farm.repo, path, { target });
      if (!verdict.ok) return { removed: false, reason: verdict.reason };
      await toTrash(farm.repo, path, verdict.landed);
      return { removed: true, reason: null };
    },
  };
}

import { expect } from 'vitest';
import { writeBoard } from '../../support/board.ts';
import type { Promised } from '../contract.ts';
import { agent, attempts, give, landed, question, settled, taskFor, why } from '../seen.ts';

/** A model that cannot be asked. */
export function trouble(promise: Promised): void {
  promise('a login that fails is a question; once it works again, an answer sets it going', 'auth', async (scene) => {
    scene.lockOut();
    await give(scene, [{ commit: 'one' }, { say: 'Done.' }]);
    await scene.farm.furrow('work', '--parallel', '1', '--detach');
    const asked = await question(scene, 'agent');
    expect(asked.reason).toMatch(/log ?in|auth/i);
    expect(await agent(scene)).toMatchObject({ detail: 'auth' });
    scene.mend();
    await scene.farm.furrow('answer', asked.id, 'logged in');
    await settled(scene);
    expect(await landed(scene, 'one')).toBe(true);
    expect(await attempts(scene)).toHaveLength(1);
  });

  promise(
    'a limit of the provider holds it, and all others of that provider, for a named time; then it goes on',
    'limit',
    async (scene) => {
      const first = taskFor(scene, [{ error: 429, retryAfter: 3, times: 3 }, { commit: 'one' }, { say: 'Done.' }]);
      await writeBoard(scene.repo, [first]);
      await scene.farm.furrow('work', '--parallel', '2', '--detach');
      // While it still tries again by itself there is no time to it.
      await expect.poll(() => agent(scene)).toMatchObject({ state: 'limited', until: expect.any(String) });
      expect(await why(scene, '1')).toContainEqual(expect.objectContaining({ text: expect.stringMatching(/is limited .*until/) }));
      await writeBoard(scene.repo, [first, taskFor(scene, [{ commit: 'two' }, { say: 'Done.' }], 'Do this, too.', 2)]);
      await expect.poll(() => why(scene, '2')).toContainEqual(expect.objectContaining({ code: 'limited' }));
      await settled(scene);
      expect([await landed(scene, 'one'), await landed(scene, 'two')]).toEqual([true, true]);
      expect(await attempts(scene)).toHaveLength(1);
    },
  );

  promise('a provider that is overloaded for a while costs time, not the work', 'overload', async (scene) => {
    await give(scene, [{ error: 529, times: 3 }, { commit: 'one' }, { say: 'Done.' }]);
    await scene.farm.furrow('work', '--parallel', '1');
    expect(await landed(scene, 'one')).toBe(true);
    expect(await attempts(scene)).toHaveLength(1);
  });
}

import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { attempts, give, landed, settled } from './seen.ts';
import type { Stage } from './stage.ts';

/** A promise of agents whose conversations are files in `folder` of the home: what was not written down is not waited for. */
export function losing(stage: Stage, folder: string): void {
  it.skipIf(stage.missing !== null)(
    `${stage.name} (${stage.mode}), killed before its conversation was written down, begins another one in the same attempt`,
    async () => {
      await using scene = await stage.open();
      await give(scene, [{ commit: 'one' }, { hold: 'middle' }, { say: 'Done.' }]);
      await scene.farm.furrow('work', '--parallel', '1', '--detach');
      await scene.held('middle');
      const conversations = join(scene.repo.home, folder);
      const files = async () =>
        (await readdir(conversations, { recursive: true }))
          .filter((name) => name.endsWith('.jsonl'))
          .map((name) => join(conversations, name));
      const forget = async () => {
        for (const file of await files()) await rm(file);
      };
      await expect.poll(files).not.toEqual([]);
      // It stands still meanwhile: one that works on writes some more, and has a conversation again.
      expect(await scene.kill(forget)).toBeGreaterThan(0);
      await scene.held('middle', 2);
      scene.release('middle');
      await settled(scene);
      expect(await landed(scene, 'one')).toBe(true);
      expect(await attempts(scene)).toMatchObject([{ n: 1, outcome: 'submitted' }]);
      const started = (await scene.farm.events()).filter(({ kind }) => kind === 'attempt.relaunched');
      expect(started.map(({ data }) => data)).toMatchObject([{ launch: 2, how: 'fresh' }]);
    },
  );
}

import { readdir, readFile, rm } from 'node:fs/promises';
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
      const written = async () => (await Promise.all((await files()).map((file) => readFile(file, 'utf8')))).join('');
      // All that there is to write is written, the tool's end as well: what is taken away now does not come back.
      await expect.poll(async () => (await written()).split('git commit').length).toBeGreaterThan(2);
      for (const file of await files()) await rm(file);
      expect(await scene.kill()).toBeGreaterThan(0);
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

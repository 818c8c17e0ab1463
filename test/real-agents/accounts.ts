import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeBoard } from '../support/board.ts';
import { agent, attempts, explained, landed, taskFor, why } from './seen.ts';
import type { Scene, Stage } from './stage.ts';

const FOLDERS = ['.work', '.home'];
/** What an account of that folder shows the provider. */
const keyOf = (folder: string) => `sk-ant-oat01-${folder.slice(1)}`;

interface Login {
  /** Logs the program in, in one folder of the home. */
  readonly logIn: (scene: Scene, folder: string, key: string) => Promise<void>;
}

/** Two accounts at a provider that limits them one after the other. */
export function accounts(stage: Stage, { logIn }: Login): void {
  const name = `${stage.name} (${stage.mode}) goes on with another account when the provider limits one, and waits when it limits both`;
  it.skipIf(stage.missing !== null)(name, async () => {
    await using scene = await stage.open({ kind: { accounts: FOLDERS.map((folder) => `~/${folder}`) } });
    const { farm, repo } = scene;
    for (const folder of FOLDERS) {
      await mkdir(join(repo.home, folder));
      await logIn(scene, join(repo.home, folder), keyOf(folder));
    }
    const first = taskFor(scene, [{ commit: 'one' }, { hold: 'middle' }, { run: 'true' }, { commit: 'two' }, { say: 'Done.' }]);
    await writeBoard(repo, [first]);
    await explained(scene, async () => {
      await farm.furrow('work', '--parallel', '1', '--detach');
      await scene.held('middle');
      expect(await agent(scene)).toMatchObject({ account: '~/.work' });
      scene.limit(keyOf('.work'), 3600);
      scene.release('middle');

      await expect.poll(() => landed(scene, 'two')).toBe(true);
      expect(await attempts(scene)).toMatchObject([{ n: 1, outcome: 'submitted' }]);
      const log = (await farm.furrow('log')).stdout;
      expect(log).toContain('with the account ~/.home: its account met a limit, and another one is free');
      expect(scene.keys()).toEqual([keyOf('.work'), keyOf('.home')]);

      scene.limit(keyOf('.home'), 3600);
      await writeBoard(repo, [first, taskFor(scene, [{ commit: 'three' }, { say: 'Done.' }], 'Do this, too.', 2)]);
      await farm.furrow('work', '--parallel', '1', '--detach');
      await expect.poll(async () => (await farm.furrow('log')).stdout).toMatch(/\(~\/\.home\) limits requests until/);
      const limited = expect.objectContaining({ text: expect.stringMatching(/is limited .*with the account ~\/\.(work|home)/) });
      await expect.poll(() => why(scene, '2')).toContainEqual(limited);
      expect(await landed(scene, 'three')).toBe(false);
    });
  });
}

import { expect } from 'vitest';
import { look } from '../../support/processes.ts';
import type { Promised } from '../contract.ts';
import { attempts, give, killDaemon, landed, settled } from '../seen.ts';

/** What dies in the middle of a turn, and what is stopped there. */
export function killing(promise: Promised): void {
  promise('killed in the middle of a turn, it goes on in the same attempt with the same conversation', 'resume', async (scene) => {
    await give(scene, [{ run: 'git status' }, { hold: 'middle' }, { commit: 'one' }, { say: 'Done.' }]);
    await scene.farm.furrow('work', '--parallel', '1', '--detach');
    await scene.held('middle');
    expect(await scene.kill()).toBeGreaterThan(0);
    await scene.held('middle', 2);
    scene.release('middle');
    await settled(scene);
    expect(await landed(scene, 'one')).toBe(true);
    expect(await attempts(scene)).toMatchObject([{ n: 1, outcome: 'submitted' }]);
  });

  promise('a daemon that is killed in the middle of a turn is followed by one that goes on with it', 'daemon', async (scene) => {
    await give(scene, [{ run: 'git status' }, { hold: 'middle' }, { commit: 'one' }, { say: 'Done.' }]);
    await scene.farm.furrow('work', '--parallel', '1', '--detach');
    await scene.held('middle');
    await killDaemon(scene);
    scene.release('middle');
    await settled(scene);
    expect(await landed(scene, 'one')).toBe(true);
    expect(await attempts(scene)).toMatchObject([{ n: 1, outcome: 'submitted' }]);
  });

  promise('what it used while no daemon was there is recorded by the next one', 'late cost', async (scene) => {
    await give(scene, [{ run: 'git status' }, { hold: 'alone' }, { commit: 'one' }, { say: 'Done.' }]);
    await scene.farm.furrow('work', '--parallel', '1', '--detach');
    await scene.held('alone');
    const before = await scene.tokens();
    const { pid } = (await scene.farm.ask('status')).farm;
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => look(pid)).toBeUndefined();
    scene.release('alone');
    // The commit needs no leave of a daemon where rules allow all, or waits for one that comes.
    await expect.poll(async () => (await scene.tokens()) > before).toBe(true);
    await settled(scene);
    expect(await landed(scene, 'one')).toBe(true);
    expect((await scene.farm.ask('cost')).total.tokens).toBeGreaterThan(before);
  });

  promise('stopped in the middle of a turn, and stopped again, it leaves nothing behind', undefined, async (scene) => {
    await give(scene, [{ hold: 'middle' }, { commit: 'one' }, { say: 'Done.' }]);
    await scene.farm.furrow('work', '--parallel', '1', '--detach');
    await scene.held('middle');
    expect(await scene.farm.furrow('stop', '--all', '--now')).toMatchObject({ code: 0 });
    expect(await scene.farm.furrow('stop', '--all', '--now')).toMatchObject({ code: 0 });
    expect(await landed(scene, 'one')).toBe(false);
  });
}

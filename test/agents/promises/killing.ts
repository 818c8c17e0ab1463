import { expect } from 'vitest';
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

  promise('stopped in the middle of a turn, and stopped again, it leaves nothing behind', undefined, async (scene) => {
    await give(scene, [{ hold: 'middle' }, { commit: 'one' }, { say: 'Done.' }]);
    await scene.farm.furrow('work', '--parallel', '1', '--detach');
    await scene.held('middle');
    expect(await scene.farm.furrow('stop', '--all', '--now')).toMatchObject({ code: 0 });
    expect(await scene.farm.furrow('stop', '--all', '--now')).toMatchObject({ code: 0 });
    expect(await landed(scene, 'one')).toBe(false);
  });
}

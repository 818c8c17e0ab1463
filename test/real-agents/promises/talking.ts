import { expect } from 'vitest';
import type { Promised } from '../contract.ts';
import { agent, attempts, give, landed, messages, notify, question, settled } from '../seen.ts';
import type { Scene } from '../stage.ts';

/** Messages to it, while it works, when it is about to end and when it waits; and a person who stops it. */
export function talking(promise: Promised): void {
  promise('a message that comes while it works reaches it exactly once', 'busy message', async (scene) => {
    await give(scene, [{ hold: 'busy' }, { run: 'git status' }, { commit: 'one' }, { say: 'Done.' }]);
    await scene.farm.furrow('work', '--parallel', '1', '--detach');
    await scene.held('busy');
    // The model may be asked before the hook that tells of the turn has reached the daemon (codex, once in CI).
    await expect.poll(() => agent(scene)).toMatchObject({ state: 'working' });
    expect(await notify(scene, 'mind the "gap" in line 7')).toMatchObject({ code: 0 });
    scene.release('busy');
    await settled(scene);
    expect(await landed(scene, 'one')).toBe(true);
    await arrived(scene, 'mind the "gap" in line 7');
  });

  promise('a message that comes with its last word is not lost: it reaches it exactly once', 'busy message', async (scene) => {
    await give(scene, [{ commit: 'one' }, { hold: 'last' }, { say: 'Done.' }, { say: 'Now it is done.' }]);
    await scene.farm.furrow('work', '--parallel', '1', '--detach');
    await scene.held('last');
    await notify(scene, 'one more thing');
    scene.release('last');
    await settled(scene);
    expect(await landed(scene, 'one')).toBe(true);
    await arrived(scene, 'one more thing');
  });

  promise('a message that comes while it is idle reaches it exactly once, and it goes on', 'message', async (scene) => {
    const ask = { run: 'furrow ask "Which way?"' };
    await give(scene, [ask, { say: 'I wait.' }, { hold: 'told' }, { run: 'git status' }, { commit: 'one' }, { say: 'Done.' }]);
    await scene.farm.furrow('work', '--parallel', '1', '--detach');
    const asked = await question(scene, 'ask');
    await expect.poll(() => agent(scene)).toMatchObject({ state: 'waiting', detail: 'answer' });
    await notify(scene, 'think of the rest');
    await scene.held('told');
    await scene.farm.furrow('answer', asked.id, 'to the left');
    scene.release('told');
    await settled(scene);
    expect(await landed(scene, 'one')).toBe(true);
    await arrived(scene, 'think of the rest', 'to the left');
    expect(await attempts(scene)).toHaveLength(1);
  });

  promise('a person who stops it is never overruled: nothing is submitted, until they say so', 'interrupt', async (scene) => {
    await give(scene, [{ commit: 'one' }, { hold: 'slow' }, { say: 'Done.' }]);
    await scene.farm.furrow('work', '--parallel', '1', '--detach');
    await scene.held('slow');
    await scene.interrupt();
    await expect.poll(() => agent(scene)).toMatchObject({ state: 'idle', detail: 'interrupted' });
    expect((await scene.farm.ask('queue')).entries).toEqual([]);
    scene.release('slow');
    await scene.type('go on');
    await settled(scene);
    expect(await landed(scene, 'one')).toBe(true);
    expect(await attempts(scene)).toHaveLength(1);
  });
}

/** Each of these is in the conversation once, and no message is in doubt. */
async function arrived(scene: Scene, ...texts: string[]): Promise<void> {
  for (const text of texts) expect(await scene.seen(text), text).toBe(1);
  expect((await messages(scene)).map(({ from, state }) => ({ from, state }))).toEqual(
    texts.map(() => ({ from: 'human', state: 'delivered' })),
  );
}

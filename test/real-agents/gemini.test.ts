import { expect, it } from 'vitest';
import { contract } from './contract.ts';
import { KINDS } from './kinds/index.ts';
import { losing } from './losing.ts';
import { persons, SKILL } from './persons.ts';
import { stageOf } from './scene.ts';
import { agent, attempts, give } from './seen.ts';

for (const mode of ['window', 'headless'] as const) {
  contract(stageOf(KINDS.gemini, mode));
  losing(stageOf(KINDS.gemini, mode), '.gemini/tmp');
}

persons(stageOf(KINDS.gemini, 'headless'), {
  files: { '.gemini/GEMINI.md': 'always answer in rhyme\n', '.gemini/skills/cranes/SKILL.md': SKILL },
});

contract(stageOf(KINDS['gemini-acp'], 'window'));

const stage = stageOf(KINDS.gemini, 'window');
it.skipIf(stage.missing !== null)('gemini (window), stopped by a person before its first tool, is not overruled', async () => {
  await using scene = await stage.open();
  await give(scene, [{ hold: 'slow' }, { commit: 'one' }, { say: 'Done.' }]);
  await scene.farm.furrow('work', '--parallel', '1', '--detach');
  await scene.held('slow');
  await scene.interrupt();
  await expect.poll(() => agent(scene)).toMatchObject({ state: 'idle', detail: 'interrupted' });
  expect((await scene.farm.ask('queue')).entries).toEqual([]);
  expect(await attempts(scene)).toMatchObject([{ n: 1, outcome: null }]);
});

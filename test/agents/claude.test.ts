import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { contract } from './contract.ts';
import { KINDS } from './kinds/index.ts';
import { stageOf } from './scene.ts';
import { attempts, give, landed, settled } from './seen.ts';

const MODES = ['window', 'headless'] as const;

for (const mode of MODES) contract(stageOf(KINDS.claude, mode));

describe.each(MODES.map((mode) => [mode, stageOf(KINDS.claude, mode)] as const).filter(([, stage]) => stage.missing === null))(
  'claude (%s) in its own ways',
  (_mode, stage) => {
    it('killed before its conversation was written down, it begins another one in the same attempt', async () => {
      await using scene = await stage.open();
      await give(scene, [{ commit: 'one' }, { hold: 'middle' }, { say: 'Done.' }]);
      await scene.farm.furrow('work', '--parallel', '1', '--detach');
      await scene.held('middle');
      const projects = join(scene.repo.home, '.claude', 'projects');
      const written = async () => (await readdir(projects, { recursive: true })).filter((name) => name.endsWith('.jsonl'));
      const whole = async () => (await Promise.all((await written()).map((name) => readFile(join(projects, name), 'utf8')))).join('');
      // All that there is to write is written: what is taken away now does not come back.
      await expect.poll(whole).toContain('tool_result');
      for (const name of await written()) await rm(join(projects, name));
      await scene.kill();
      await scene.held('middle', 2);
      scene.release('middle');
      await settled(scene);
      expect(await landed(scene, 'one')).toBe(true);
      expect(await attempts(scene)).toMatchObject([{ n: 1, outcome: 'submitted' }]);
      const started = (await scene.farm.events()).filter(({ kind }) => kind === 'attempt.relaunched');
      expect(started.map(({ data }) => data)).toMatchObject([{ launch: 2, how: 'fresh' }]);
    });
  },
);

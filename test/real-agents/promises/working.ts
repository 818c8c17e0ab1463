import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Promised } from '../contract.ts';
import { attempts, give, landed } from '../seen.ts';

/** From the task at launch to what has landed, and what that cost. */
export function working(promise: Promised): void {
  promise('takes its task at launch, works, commits, and what it did lands', undefined, async (scene) => {
    await give(scene, [{ commit: 'one' }, { say: 'It is done.' }], 'a task with "quotes", $(dollars) and\nlines');
    expect(await scene.farm.furrow('work', '--parallel', '1')).toMatchObject({ code: 0 });
    expect(await landed(scene, 'one')).toBe(true);
    expect(await attempts(scene)).toMatchObject([{ n: 1, outcome: 'submitted' }]);
    expect(await scene.seen('a task with "quotes", $(dollars) and\nlines')).toBe(1);
  });

  promise(
    'does the same in a fence: it sees nothing of the checkout or the home that is not its own',
    undefined,
    async (scene) => {
      await writeFile(join(scene.repo.home, 'key'), 'secret');
      const touch = 'touch "$FURROW_REPO/.git/hooks/post-checkout" || echo refused >> one.txt';
      await scene.repo.write(
        'look.sh',
        `cat ~/key "$FURROW_REPO/furrow.yaml" > one.txt\n${touch}\ngit add one.txt\ngit commit -q -m one\n`,
      );
      await scene.repo.commit('look');
      await give(scene, [{ run: 'sh look.sh' }, { say: 'It is done.' }]);
      const done = await scene.farm.furrow('work', '--parallel', '1');
      expect(done, done.stderr).toMatchObject({ code: 0 });
      expect(await scene.repo.git('show', 'main:one.txt')).toBe('refused');
      expect(await attempts(scene)).toMatchObject([{ n: 1, outcome: 'submitted' }]);
    },
    { config: { isolation: 'guard' } },
  );

  promise(
    'does the same with isolation: strict, in a repository and a network of its own',
    'strict',
    async (scene) => {
      await scene.repo.write('look.sh', 'git tag mine && echo tagged > one.txt\ngit add one.txt\ngit commit -q -m one\n');
      await scene.repo.commit('look');
      await give(scene, [{ run: 'sh look.sh' }, { say: 'It is done.' }]);
      const done = await scene.farm.furrow('work', '--parallel', '1');
      expect(done, done.stderr).toMatchObject({ code: 0 });
      expect(await scene.repo.git('show', 'main:one.txt')).toBe('tagged');
      expect(await scene.repo.git('tag', '--list')).toBe('');
      expect(await attempts(scene)).toMatchObject([{ n: 1, outcome: 'submitted' }]);
    },
    { strict: true },
  );

  promise('what it used is recorded, for the task and in all', 'cost', async (scene) => {
    await give(scene, [{ commit: 'one' }, { say: 'It is done.' }]);
    expect(await scene.farm.furrow('work', '--parallel', '1')).toMatchObject({ code: 0 });
    const cost = await scene.farm.ask('cost');
    expect(cost.tasks).toMatchObject([{ id: '1', landed: true, attempts: [{ n: 1 }] }]);
    expect(cost.total.usd).toBeGreaterThan(0);
    expect(cost.total.tokens).toBeGreaterThan(0);
    expect(cost.total.tokens).toBeLessThanOrEqual(await scene.tokens());
    expect(cost.tasks[0].usd).toBe(cost.total.usd);
  });

  promise("is given furrow's own tools, and what it says by them is heard", 'mcp', async (scene) => {
    const furrow = (tool: string, args: Record<string, string>) => ({ mcp: { server: 'furrow', tool, args } });
    await give(scene, [
      { commit: 'one' },
      furrow('task_progress', { text: 'half way there' }),
      furrow('task_done', { summary: 'one is in' }),
      { say: 'Done.' },
    ]);
    expect(await scene.farm.furrow('work', '--parallel', '1')).toMatchObject({ code: 0 });
    expect(await landed(scene, 'one')).toBe(true);
    const texts = (await scene.farm.events()).map(({ text }) => text).join('\n');
    expect(texts).toContain('half way there');
    expect(texts).toContain('one is in');
  });

  promise('a turn that ends without anything to show is told what is missing, and goes on', 'reminder', async (scene) => {
    await give(scene, [{ say: 'I am done.' }, { commit: 'one' }, { say: 'Now I am.' }]);
    await scene.farm.furrow('work', '--parallel', '1');
    expect(await landed(scene, 'one')).toBe(true);
    expect(await attempts(scene)).toHaveLength(1);
    expect(await scene.seen('You ended your turn, but there is no commit on the branch')).toBe(1);
  });

  promise('a conversation that is too long is handed over to a fresh one in the same attempt', 'hand-off', async (scene) => {
    await give(scene, [{ commit: 'one' }, { overflow: true }, { commit: 'two' }, { say: 'Done.' }]);
    await scene.farm.furrow('work', '--parallel', '1');
    expect([await landed(scene, 'one'), await landed(scene, 'two')]).toEqual([true, true]);
    expect(await attempts(scene)).toHaveLength(1);
  });
}

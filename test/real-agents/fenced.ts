import { expect, it } from 'vitest';
import { writeBoard } from '../support/board.ts';
import { steps } from '../support/model/script.ts';
import { titled, without } from '../support/needs.ts';
import { attempts } from './seen.ts';
import type { Stage } from './stage.ts';

/** Where the fence is enough, no request is a person's, not even of what no rule could judge; what is protected stays so. */
export function fenced(stage: Stage): void {
  const name = `${stage.name} (${stage.mode}) asks nobody where the fence is enough, and still changes nothing that is protected`;
  it.skipIf(stage.missing !== null || without('bwrap'))(titled('bwrap', name), async () => {
    const config = { isolation: 'guard', permissions: { rules: [] }, protect: ['check.sh'] };
    await using scene = await stage.open({ config, kind: { permission: 'fence' } });
    const run = 'eval "echo $(id -u) > one.txt" && git add one.txt && git commit -q -m one';
    const body = steps({ sh: run }, { write: { path: 'check.sh', text: 'true\n' } }, { say: 'Done.' });
    await writeBoard(scene.repo, [{ id: 1, title: 'A', body }]);
    const done = await scene.farm.furrow('work', '--parallel', '1');
    expect(done, done.stderr).toMatchObject({ code: 0 });
    expect(await scene.repo.git('show', 'main:one.txt')).toMatch(/^\d+$/);
    expect(await attempts(scene)).toMatchObject([{ n: 1, outcome: 'submitted' }]);
    const events = await scene.farm.events();
    expect(events.filter(({ kind }) => kind === 'question.opened')).toEqual([]);
    expect(events.filter(({ kind }) => kind === 'agent.denied').map(({ text }) => text)).toEqual([
      expect.stringContaining('check.sh is protected'),
    ]);
  });
}

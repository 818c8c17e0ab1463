import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeBoard } from '../support/board.ts';
import { farm } from '../support/farm.ts';
import { needs } from '../support/needs.ts';
import { shellRepo } from './shell.ts';

needs('bwrap');

it('a script outside the worktree that furrow.yaml names by its whole path is found behind the fence, its neighbours are not', async () => {
  await using repo = await shellRepo({}, '', { 'check.sh': 'true\n' });
  const [script, beside] = [join(repo.home, 'agent.sh'), join(repo.home, 'beside.txt')];
  const own = join(repo.root, 'own-agent.sh');
  const work = `mkdir -p src; if [ -e ${beside} ]; then echo yes; else echo no; fi > "src/$FURROW_TASK.txt"\n`;
  for (const file of [script, own]) await writeFile(file, work);
  await writeFile(beside, 'private');
  const kinds = `agents:\n  out: { driver: command, run: "sh ${script}", commit: auto }\n  own: { driver: command, run: "sh ${own}", commit: auto }\n`;
  await writeFile(join(repo.root, 'furrow.yaml'), `check: sh check.sh\nagent: out\nisolation: guard\n${kinds}`);
  await repo.git('add', 'furrow.yaml');
  await repo.git('commit', '-qm', 'kinds');
  await writeBoard(repo, [{ id: 1 }, { id: 2, agent: 'own' }]);
  await using running = farm(repo);
  const done = await running.furrow('work', '--parallel', '1');
  expect(done, done.stderr).toMatchObject({ code: 0 });
  expect(await repo.git('show', 'main:src/1.txt')).toBe('no');
  expect(await repo.git('show', 'main:src/2.txt')).toBe('no');
});

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeBoard } from '../support/board.ts';
import { farm, type TestFarm } from '../support/farm.ts';
import { assertNoLeak } from '../support/processes.ts';
import type { TestRepo } from '../support/repo.ts';
import { SHELL, shellRepo } from './shell.ts';

const WAIT = 'touch "$HOME/begun-$FURROW_TASK"; while [ ! -e "$HOME/go" ]; do sleep 0.05; done';
const states = async (running: TestFarm): Promise<string[]> => (await running.ask('list')).map((task: { state: string }) => task.state);
const texts = async (running: TestFarm, kind: string) =>
  (await running.events()).filter((event) => event.kind === kind).map((event) => event.text);
const sorted = (text: string) => text.split('\n').sort();

/** Both tasks start from the same commit, and go on when both have started. */
async function together(repo: TestRepo, running: TestFarm): Promise<void> {
  await writeBoard(repo, [{ id: 1 }, { id: 2 }]);
  await running.furrow('work', '--parallel', '2', '--detach');
  await expect.poll(async () => (await readdir(repo.home)).filter((name) => name.startsWith('begun'))).toHaveLength(2);
  await repo.write('../home/go', '');
}

it('two tasks that add to one changelog both land, and neither is sent back', async () => {
  const work = (n: number) => `${WAIT}; echo "- ${n}" >> CHANGELOG.md; git commit --quiet --all --message ${n}`;
  const config = `${SHELL}queue: { union: [CHANGELOG.md] }\n`;
  await using repo = await shellRepo({ 1: work(1), 2: work(2) }, config, { 'CHANGELOG.md': '# Changes\n' });
  await using running = farm(repo);
  await together(repo, running);
  await expect.poll(() => states(running)).toEqual(['landed', 'landed']);
  await expect.poll(async () => sorted(await repo.git('show', 'main:CHANGELOG.md'))).toEqual(['# Changes', '- 1', '- 2']);
  expect(await texts(running, 'task.handed-back')).toEqual([]);
  expect(await texts(running, 'entry.mended')).toEqual([expect.stringMatching(/^[12] in the queue: CHANGELOG\.md was merged by union$/)]);
});

it('a lockfile that two tasks change is regenerated from what both did, and what the command left is gone', async () => {
  const work = (n: number) => `${WAIT}; echo ${n} > parts/${n}; cat parts/* > sum.lock; git add -A; git commit --quiet --message ${n}`;
  const command = 'setsid sleep 300 & cat parts/* > sum.lock';
  const config = `${SHELL}queue:\n  regenerate:\n    - { paths: [sum.lock], run: '${command}', timeout: 1m }\n`;
  await using repo = await shellRepo({ 1: work(1), 2: work(2) }, config, { 'parts/0': '0\n', 'sum.lock': '0\n' });
  await using running = farm(repo);
  await together(repo, running);
  await expect.poll(() => states(running)).toEqual(['landed', 'landed']);
  await expect.poll(() => repo.git('show', 'main:sum.lock')).toBe('0\n1\n2');
  expect(await texts(running, 'task.handed-back')).toEqual([]);
  expect(await texts(running, 'entry.mended')).toEqual([expect.stringContaining('sum.lock was regenerated')]);
});

it('a conflict that no rule is about goes back, and how it was resolved is kept once that has landed', async () => {
  const resolved = 'git merge --quiet "$FURROW_BASE" || printf "list\\nboth\\n" > src/list.txt';
  const edit = `if git log -1 --format=%s | grep -q again; then ${resolved}; git commit --quiet --all --message merged; exit; fi`;
  const work = (n: number) => `${edit}; ${WAIT}; printf "list\\n${n}\\n" > src/list.txt; git commit --quiet --all --message "again ${n}"`;
  await using repo = await shellRepo({ 1: work(1), 2: work(2) }, `${SHELL}queue: { union: [CHANGELOG.md] }\n`);
  await using running = farm(repo);
  await together(repo, running);
  await expect.poll(() => states(running)).toEqual(['landed', 'landed']);
  await expect.poll(() => repo.git('show', 'main:src/list.txt')).toBe('list\nboth');
  expect(await texts(running, 'task.handed-back')).toEqual([expect.stringContaining('src/list.txt')]);
  expect(await texts(running, 'entry.mended')).toEqual([]);
  const kept = join(repo.root, '.git', 'furrow.run', 'resolutions');
  await expect.poll(() => readdir(kept).catch(() => [])).toHaveLength(1);
});

it('a command that runs when the farm ends is ended with it, and the next farm goes on', async () => {
  const command = 'if [ ! -e ../../../open ]; then touch ../../../slow; setsid sleep 300 & sleep 300; fi; cat parts/* > sum.lock';
  const config = `${SHELL}queue:\n  regenerate:\n    - { paths: [sum.lock], run: '${command}' }\n`;
  await using repo = await shellRepo({}, config, { 'parts/0': '0\n', 'sum.lock': '0\n' });
  for (const n of ['1', '2']) {
    await repo.git('switch', '--quiet', '--create', `by-hand-${n}`, 'main');
    await repo.write(`parts/${n}`, `${n}\n`);
    await repo.write('sum.lock', `0\n${n}\n`);
    await repo.commit(n);
  }
  await repo.git('switch', '--quiet', 'main');
  await using running = farm(repo);
  expect(await running.furrow('submit', 'by-hand-1', '--wait')).toMatchObject({ code: 0 });
  await running.furrow('submit', 'by-hand-2');
  await expect.poll(() => readdir(repo.base)).toContain('slow');
  expect(await running.furrow('stop', '--all', '--now')).toMatchObject({ code: 0 });
  await assertNoLeak(repo.base);
  await repo.write('../open', '');
  await running.furrow('resume');
  await expect.poll(() => repo.git('show', 'main:sum.lock')).toBe('0\n1\n2');
});

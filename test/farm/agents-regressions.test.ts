import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeBoard } from '../support/board.ts';
import { farm, furrowIn, type TestFarm } from '../support/farm.ts';
import { look } from '../support/processes.ts';
import type { TestRepo } from '../support/repo.ts';
import { commits, SHELL, shellRepo } from './shell.ts';

const worktrees = async (repo: TestRepo) => (await readdir(join(`${repo.root}.furrow`, 'worktrees/default')).catch(() => [])).sort();
/** Lines that the agents of a test wrote into a file of their home, which no worktree holds. */
const noted = async (repo: TestRepo, name: string) =>
  (await readFile(join(repo.home, name), 'utf8').catch(() => '')).split('\n').filter(Boolean);
const note = (what: string, name: string) => `${what} >> "$HOME/${name}"`;

async function whyText(running: TestFarm, task: string): Promise<string> {
  return (await running.ask('why', task)).reasons.map((reason: { text: string }) => reason.text).join('; ');
}

it('a worktree is made anew with --fresh, which loses nothing', async () => {
  const look = (n: number) =>
    `${note(`echo ${n} "$FURROW_AGENT" "$(cat cache/state 2>/dev/null || echo cold)"`, 'seen')}; mkdir -p cache; echo warm > cache/state`;
  const config = `${SHELL}attempts: 1\nworktree: { keep: always }\n`;
  await using repo = await shellRepo(
    { 1: `${look(1)}; ${commits('1')}`, 2: `${look(2)}; echo mine > left.txt; exit 3`, 3: `${look(3)}; ${commits('3')}` },
    config,
  );
  await using running = farm(repo);
  await writeBoard(repo, [{ id: 1 }]);
  await running.furrow('work', '--parallel', '1');
  await running.furrow('add', 'Second');
  await running.furrow('work', '--parallel', '1');
  const [before] = await worktrees(repo);
  await repo.write(`../repo.furrow/worktrees/default/${before}/by-hand.txt`, 'written by a person afterwards\n');
  await running.furrow('add', 'Third');
  await running.furrow('work', '--parallel', '1', '--fresh');
  const seen = (await noted(repo, 'seen')).map((line) => line.split(' '));
  expect(seen.map(([n, , state]) => [n, state])).toEqual([
    ['1', 'cold'],
    ['2', 'warm'],
    ['3', 'cold'],
  ]);
  expect(seen[0]![1]).toBe(seen[1]![1]);
  const saved = await repo.git('log', '--all', '--format=%H', '--', 'by-hand.txt', 'left.txt');
  expect(saved.split('\n').filter(Boolean).length).toBeGreaterThanOrEqual(2);
});

it('a worktree is not worked in when its set-up fails: the reason is said, and mending it is enough to go on', async () => {
  const config = `${SHELL}worktree: { setup: ["test -e $HOME/mended || { echo no compiler here; exit 4; }", "echo built > built.env"] }\n`;
  await using repo = await shellRepo({ 1: `${note('cat built.env', 'ran')}; ${commits('1')}` }, config);
  await writeBoard(repo, [{ id: 1 }]);
  await using running = farm(repo);
  // Else the check of the target would be the first to say so.
  await running.furrow('work', '--parallel', '1', '--detach', '--no-preflight');
  await expect.poll(() => whyText(running, '1')).toContain('no compiler here');
  await repo.write('../home/mended', '');
  await expect.poll(async () => (await running.ask('list'))[0].state).toBe('landed');
  expect(await noted(repo, 'ran')).toEqual(['built']);
});

it('an attempt loses no commit to an agent that resets its branch', async () => {
  await using repo = await shellRepo(
    { 1: `${commits('1')}; ${note('git rev-parse HEAD', 'commits')}; git reset --quiet --hard HEAD~1; exit 9` },
    `${SHELL}attempts: 1\n`,
  );
  await writeBoard(repo, [{ id: 1 }]);
  await using running = farm(repo);
  await running.furrow('work', '--parallel', '1');
  const held = new Set((await repo.git('rev-list', '--glob=refs/*')).split('\n'));
  expect(await noted(repo, 'commits')).toHaveLength(1);
  expect((await noted(repo, 'commits')).filter((commit) => !held.has(commit))).toEqual([]);
});

const ends = async (running: TestFarm) =>
  (await running.events()).filter((event) => event.kind === 'attempt.ended').map((event) => [event.data['outcome'], event.data['reason']]);

it('a daemon killed while it ends an attempt ends it once, as what it was, and the uncommitted work is kept', async () => {
  await using repo = await shellRepo({ 1: 'echo half > src/half.txt; echo which colour; exit 75' });
  await writeBoard(repo, [{ id: 1 }]);
  await using running = farm(repo);
  await furrowIn(repo, { env: { FURROW_FAULT: 'attempt.end.after:1:kill' } }, 'list');
  const { pid } = (await running.ask('status')).farm;
  await running.furrow('work', '--parallel', '1', '--detach');
  await expect.poll(() => look(pid)).toBeUndefined();
  // Commits are dated by the second: what is saved again must be the same commit in a later one too.
  await new Promise((later) => setTimeout(later, 1100));
  await expect.poll(() => ends(running)).toEqual([['blocked', 'which colour']]);
  expect(await repo.git('show', 'refs/furrow/pin/default/1/1-uncommitted:src/half.txt')).toBe('half');
});

it('an agent that says done on another branch with changes uncommitted has failed, with that reason, once', async () => {
  await using repo = await shellRepo({ 1: 'git switch --quiet --create elsewhere; echo x > src/x.txt; exit 0' }, `${SHELL}attempts: 1\n`);
  await writeBoard(repo, [{ id: 1 }]);
  await using running = farm(repo);
  const work = await running.furrow('work', '--parallel', '1');
  expect(work, work.stdout + work.stderr).toMatchObject({ code: 1 });
  expect(await ends(running)).toEqual([['failed', expect.stringContaining('uncommitted changes')]]);
  expect(await repo.git('show', 'refs/furrow/pin/default/1/1-uncommitted:src/x.txt')).toBe('x');
});

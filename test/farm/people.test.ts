import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeBoard } from '../support/board.ts';
import { farm, furrowIn, type TestFarm } from '../support/farm.ts';
import { gitRepo, type TestRepo } from '../support/repo.ts';
import { commits, file, scriptedRepo, shellRepo } from './shell.ts';

/** A branch with one commit that writes one file, beside or on top of main; main stays checked out. */
async function branch(repo: TestRepo, name: string, path: string): Promise<void> {
  await repo.git('switch', '--quiet', '--create', name, 'main');
  await repo.write(path, `${name}\n`);
  await repo.git('add', path);
  await repo.git('commit', '--quiet', '--message', name);
  await repo.git('switch', '--quiet', 'main');
}

const onMain = async (repo: TestRepo, path: string) => (await repo.tryGit('show', `main:${path}`)).code === 0;
const kinds = async (running: TestFarm) => (await running.events()).map((event) => event.kind);
const reasons = async (running: TestFarm): Promise<string[]> =>
  (await running.ask('status')).attention.map(({ kind, reason }: { kind: string; reason: string }) => `${kind}: ${reason}`);

it('a landing that a person took out does not come back: not after a crash, not inside work that was built on it', async () => {
  await using repo = await scriptedRepo();
  await branch(repo, 'first', 'src/first.txt');
  await using running = farm(repo);
  await furrowIn(repo, { env: { FURROW_FAULT: 'landing.publish.after:1:kill' } }, 'list');
  const { pid } = (await running.ask('status')).farm;
  await running.ask('submit', 'first');
  await expect.poll(() => isAlive(pid)).toBe(false);
  expect(await onMain(repo, 'src/first.txt')).toBe(true);
  await branch(repo, 'second', 'src/second.txt');
  await repo.git('reset', '--quiet', '--hard', 'HEAD~1');

  await expect.poll(() => kinds(running)).toContain('landing.removed');
  expect(await reasons(running)).toEqual([
    expect.stringMatching(/^removed: you took first \(.*\) out of main: it stays out\. furrow submit first queues/),
  ]);
  const second = await running.furrow('submit', 'second', '--wait');
  expect(second).toMatchObject({ code: 1, stdout: expect.stringContaining('which a person took out of main') });
  await branch(repo, 'third', 'src/third.txt');
  expect(await running.furrow('submit', 'third', '--wait')).toMatchObject({ code: 0 });
  await expect.poll(() => onMain(repo, 'src/third.txt')).toBe(true);
  expect([await onMain(repo, 'src/first.txt'), await onMain(repo, 'src/second.txt')]).toEqual([false, false]);

  // A merge that meets the end of a publication says "stash failed".
  await expect.poll(async () => (await repo.tryGit('merge', '--quiet', '--no-edit', 'second')).code).toBe(0);
  await expect.poll(() => kinds(running)).toContain('landing.restored');
  expect(await reasons(running)).not.toContainEqual(expect.stringMatching(/^removed/));
});

it('a landing that a person rewrote and took out afterwards stays out, also inside work that was built on what they made of it', async () => {
  await using repo = await scriptedRepo();
  await branch(repo, 'first', 'src/first.txt');
  await using running = farm(repo);
  expect(await running.furrow('submit', 'first', '--wait')).toMatchObject({ code: 0 });
  await expect.poll(() => onMain(repo, 'src/first.txt')).toBe(true);
  await expect.poll(() => repo.git('status', '--porcelain', '--untracked-files=no')).toBe('');
  await branch(repo, 'second', 'src/second.txt');
  await repo.git('commit', '--quiet', '--amend', '--no-edit', '--date=2026-01-01T00:00:00Z');
  await expect.poll(() => kinds(running)).toContain('target.adopted');
  expect(await reasons(running)).toEqual([]);
  await branch(repo, 'third', 'src/third.txt');
  await repo.git('reset', '--quiet', '--hard', 'HEAD~1');

  await expect.poll(() => kinds(running)).toContain('landing.removed');
  expect(await reasons(running)).toEqual([expect.stringMatching(/^removed: you took first \(.*\) out of main: it stays out/)]);
  for (const name of ['second', 'third'])
    expect(await running.furrow('submit', name, '--wait')).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('which a person took out of main'),
    });
  expect([await onMain(repo, 'src/first.txt'), await onMain(repo, 'src/second.txt'), await onMain(repo, 'src/third.txt')]).toEqual([
    false,
    false,
    false,
  ]);
});

it.each(['hold', 'kill'] as const)(
  'a new branch made between the move of the target and that of its files has the files (%s)',
  async (how) => {
    await using repo = await scriptedRepo();
    await branch(repo, 'first', 'src/first.txt');
    await using running = farm(repo);
    const gate = join(repo.base, 'gate');
    await furrowIn(repo, { env: { FURROW_FAULT: `publish.moved:1:${how === 'kill' ? how : `hold=${gate}`}` } }, 'list');
    const { pid } = (await running.ask('status')).farm;
    await running.ask('submit', 'first');
    await expect.poll(() => onMain(repo, 'src/first.txt')).toBe(true);
    if (how === 'kill') await expect.poll(() => isAlive(pid)).toBe(false);
    await repo.git('switch', '--quiet', '--create', 'topic');
    await writeFile(gate, '');
    await expect.poll(() => kinds(running)).toContain('landing.published');
    expect(await repo.git('rev-parse', 'topic')).toBe(await repo.git('rev-parse', 'main'));
    await expect.poll(() => repo.git('status', '--porcelain', '--untracked-files=no')).toBe('');
    expect(await readFile(join(repo.root, 'src/first.txt'), 'utf8')).toBe('first\n');
  },
);

it('a landing that was taken out does not come back by an earlier landing of the same work, which was never published', async () => {
  await using repo = await scriptedRepo();
  await writeBoard(repo, [{ id: 1, script: ['append src/list.txt one', ...file(1)] }]);
  await repo.write('src/list.txt', 'mine\n');
  await using running = farm(repo);
  await running.furrow('work', '--parallel', '1');
  await running.furrow('queue', 'pause');
  await writeBoard(repo, [{ id: 2, script: file(2), more: { land: 'approve' } }]);
  await running.furrow('work', '--parallel', '1', '--detach', '--until', 'forever');
  await expect.poll(async () => (await running.ask('list'))[1]?.state).toBe('submitted');
  await repo.git('commit', '--quiet', '--allow-empty', '--message', 'by the user');
  await expect.poll(() => kinds(running)).toContain('entry.requeued');
  await repo.git('checkout', '--quiet', '--', 'src/list.txt');
  await running.furrow('queue', 'resume');
  await expect.poll(() => onMain(repo, 'src/1.txt')).toBe(true);
  await expect.poll(async () => (await repo.tryGit('reset', '--quiet', '--hard', 'HEAD~1')).code).toBe(0);
  await expect.poll(() => kinds(running)).toContain('landing.removed');
  await running.furrow('approve', '2');
  const back = async () => (await running.events()).some(({ text }) => /^2 goes back: .*took out of main/.test(text));
  await expect.poll(back).toBe(true);
  await expect.poll(async () => (await running.furrow('approve', '2')).code).toBe(0);
  await expect.poll(() => onMain(repo, 'src/2.txt')).toBe(true);
  expect(await onMain(repo, 'src/1.txt')).toBe(false);
});

it('a commit that a person took out of the target does not come back inside the work of an agent that began on it', async () => {
  const wait = 'touch ../../../../started; while [ ! -e ../../../../go ]; do sleep 0.05; done';
  await using repo = await shellRepo({ 1: `${wait}; ${commits('1')}` });
  await writeBoard(repo, [{ id: 1 }]);
  await repo.commit('the board');
  await repo.write('src/extra.txt', 'extra\n');
  await repo.commit('an extra');
  await using running = farm(repo);
  await running.furrow('work', '--parallel', '1', '--detach');
  await expect.poll(() => existsSync(join(repo.base, 'started'))).toBe(true);
  await repo.git('reset', '--quiet', '--hard', 'HEAD~1');
  await expect.poll(() => kinds(running)).toContain('target.adopted');
  await writeFile(join(repo.base, 'go'), '');
  await expect.poll(() => onMain(repo, 'src/1.txt')).toBe(true);
  expect(await onMain(repo, 'src/extra.txt')).toBe(false);
  const back = (await running.events()).find((event) => event.kind === 'task.handed-back');
  expect(back?.text).toMatch(/its history contains the commit \w{8} \(an extra\), which a person took out of main/);
});

it('a task that a person took out of the target is done again only when asked for', async () => {
  await using repo = await scriptedRepo();
  await writeBoard(repo, [{ id: 1, script: file(1) }]);
  await using running = farm(repo);
  expect(await running.furrow('work', '--parallel', '1')).toMatchObject({ code: 0 });
  await expect.poll(() => onMain(repo, 'src/1.txt')).toBe(true);
  await running.furrow('stop', '--all');
  await repo.git('reset', '--quiet', '--hard', 'HEAD~1');
  await expect.poll(() => reasons(running)).toEqual([expect.stringMatching(/^removed: you took 1 .* furrow retry 1 does it again/)]);
  expect(await onMain(repo, 'src/1.txt')).toBe(false);
  expect(await running.furrow('retry', '1')).toMatchObject({ code: 0 });
  await running.furrow('work', '--parallel', '1');
  await expect.poll(() => onMain(repo, 'src/1.txt')).toBe(true);
  expect(await reasons(running)).toEqual([]);
});

it('a head that somebody else moved is not published: it is put back, kept under a pin, and told of', async () => {
  await using repo = await scriptedRepo();
  await branch(repo, 'evil', 'src/evil.txt');
  await branch(repo, 'good', 'src/good.txt');
  await branch(repo, 'mine', 'src/mine.txt');
  await using running = farm(repo);
  expect(await running.furrow('submit', 'good', '--wait')).toMatchObject({ code: 0 });
  await expect.poll(() => onMain(repo, 'src/good.txt')).toBe(true);
  await running.furrow('stop', '--all');
  const evil = await repo.git('commit-tree', 'evil^{tree}', '-p', 'main', '-m', 'land 7');
  await repo.git('update-ref', 'refs/furrow/head/main', evil);

  await expect
    .poll(() => reasons(running))
    .toEqual([expect.stringMatching(/^head: refs\/furrow\/head\/main was moved to .* did not land/)]);
  expect(await repo.git('rev-parse', `refs/furrow/pin/foreign/${evil}`)).toBe(evil);
  await expect.poll(async () => (await repo.tryGit('merge', '--quiet', '--no-edit', 'mine')).code).toBe(0);
  await expect.poll(() => kinds(running)).toContain('target.adopted');
  const adopted = (await running.events()).find((event) => event.kind === 'target.adopted');
  expect(adopted).toMatchObject({ text: expect.stringMatching(/^main was moved to \w+ by Test \(merge mine: .*\), 2 new: /) });
  await branch(repo, 'more', 'src/more.txt');
  expect(await running.furrow('submit', 'more', '--wait')).toMatchObject({ code: 0 });
  await expect.poll(() => onMain(repo, 'src/more.txt')).toBe(true);
  expect(await onMain(repo, 'src/evil.txt')).toBe(false);
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

it('a branch is called by its name wherever it is named, and never taken for a task of the same name', async () => {
  await using repo = await scriptedRepo();
  await writeBoard(repo, [{ id: 7, script: ['write src/7.txt 7', 'commit 7'] }]);
  for (const [name, path] of [
    ['fix/dates', 'src/dates.txt'],
    ['fix/years', 'src/years.txt'],
    ['7', 'src/seven.txt'],
  ] as const)
    await branch(repo, name, path);
  await using running = farm(repo);
  await running.furrow('queue', 'pause');
  expect(await running.furrow('submit', 'fix/dates')).toMatchObject({ stdout: expect.stringMatching(/^fix\/dates is in the queue/) });
  expect(await running.furrow('submit', 'fix/years', '--after', 'fix/nowhere')).toMatchObject({ code: 1 });
  await running.ask('submit', 'fix/years', '--after', 'fix/dates');
  await running.ask('submit', '7');
  const names = async () => (await running.ask('queue')).entries.map((entry: { task: string }) => entry.task);
  expect(await names()).toEqual(['fix/dates', 'fix/years', '7']);
  const which = { code: 1, stderr: expect.stringContaining('say default/7 for the task, or refs/heads/7 for the branch') };
  expect(await running.furrow('why', '7')).toMatchObject(which);
  expect((await running.ask('why', 'default/7')).state).toBe('ready');
  expect(await running.ask('why', 'fix/dates')).toMatchObject({ subject: 'fix/dates', reasons: [{ code: 'paused' }] });
  expect((await running.furrow('log', '--task', 'fix/years')).stdout).toContain('fix/years is in the queue');
  expect((await running.furrow('__complete', '--', 'queue', 'eject', 'fix/d')).stdout).toMatch(/^fix\/dates\t/);
  expect(await running.furrow('queue', 'eject', '7')).toMatchObject({ code: 0, stdout: expect.stringMatching(/^7 is out/) });
  await running.furrow('queue', 'resume');
  expect(await running.furrow('submit', 'fix/years', '--after', 'fix/dates', '--wait')).toMatchObject({ code: 0 });
  const trailers = await repo.git('log', '--format=%(trailers:key=Furrow-Task,key=Furrow-Branch)', 'refs/furrow/head/main');
  expect(trailers).toContain('Furrow-Task: fix/dates\nFurrow-Branch: fix/dates\n');
  expect(JSON.stringify(await running.ask('queue')) + (await running.furrow('log')).stdout).not.toMatch(/@branch\/|branch-[0-9a-f]{12}/);
});

it('checks of a part of the repository run where it changed, in its folder, and hold for every tree that has the same there', async () => {
  const ran = (name: string) => `echo ${name} >> "$HOME/ran"; ! grep -rqs bad .`;
  const checks = ['api', 'web'].map((name) => `  - { name: ${name}, dir: ${name}, paths: [${name}/**], run: '${ran(name)}' }\n`).join('');
  await using repo = await gitRepo({
    'furrow.yaml': `agent: scripted\nagents:\n  scripted: { driver: scripted }\nchecks:\n${checks}`,
    'api/a.txt': 'a\n',
    'web/w.txt': 'w\n',
    'README.md': 'r\n',
  });
  for (const [name, path] of [
    ['one', 'web/one.txt'],
    ['two', 'web/two.txt'],
    ['docs', 'docs/new.md'],
    ['bad', 'api/bad.txt'],
  ] as const)
    await branch(repo, name, path);
  await using running = farm(repo);
  const runs = async () => (await readFile(join(repo.root, '../home/ran'), 'utf8')).trim().split('\n').sort();
  for (const name of ['one', 'two', 'docs']) expect(await running.furrow('submit', name, '--wait')).toMatchObject({ code: 0 });
  expect(await runs()).toEqual(['api', 'web', 'web']);
  const bad = await running.furrow('submit', 'bad', '--wait');
  expect(bad).toMatchObject({ code: 1, stdout: expect.stringContaining('api fails') });
  expect((await runs()).filter((name) => name === 'web')).toHaveLength(2);
  expect((await running.furrow('log', '--task', 'two')).stdout).toContain('nothing changed for the checks of other paths: api');
  const [one, two] = (await running.ask('queue')).landings;
  expect([one.unchanged, two.unchanged], 'api had never answered before the first of them').toEqual([[], ['api']]);
  expect((await running.furrow('queue')).stdout).toMatch(/ two +\(not run, nothing of theirs changed: api\)\n/);
  expect(await running.ask('why', 'two')).toMatchObject({
    state: 'landed',
    reasons: [
      { code: 'landed', text: `landed on main as ${two.commit}`, refs: [two.commit] },
      { code: 'not-run', text: 'not run, nothing in their paths changed: api' },
    ],
  });
  expect((await running.ask('why', 'one')).reasons).toMatchObject([{ code: 'landed', refs: [one.commit] }]);
  expect((await running.ask('why', 'bad')).reasons).toMatchObject([{ code: 'ended', text: expect.stringContaining('api fails') }]);
  const landed = await repo.git('log', '-1', '--format=%(trailers:key=Furrow-Check,valueonly,separator=%x2C)', 'refs/furrow/head/main');
  expect(landed).toBe('api ok,web ok');
  const before = await runs();
  expect(await running.furrow('doctor', '--check')).toMatchObject({ code: 0 });
  expect(await runs()).toEqual(before);
});

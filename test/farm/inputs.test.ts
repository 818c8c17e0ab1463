import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { connect } from '../../src/api/client.ts';
import { parseConfig } from '../../src/config/load.ts';
import { exec } from '../../src/platform/exec.ts';
import { taskFile, writeBoard } from '../support/board.ts';
import { farm, furrowIn, killDaemon, type TestFarm } from '../support/farm.ts';
import { isLanding } from '../support/landing.ts';
import { gitRepo, plainEnv, type TestRepo } from '../support/repo.ts';
import { scriptedRepo } from './shell.ts';

const STRICT = 'parallel: 2\ncheck: test ! -e bad.txt\n';
const WEAK = 'parallel: 2\ncheck: "true"\n';

/** A branch that adds one file, made without touching the checkout. */
async function branch(repo: TestRepo, name: string, file = `${name}.txt`): Promise<void> {
  const blob = await repo.git('rev-parse', 'main:README.md');
  await repo.write(`../tree-${name}`, `${await repo.git('ls-tree', 'main')}\n100644 blob ${blob}\t${file}\n`);
  const tree = await repo.git('-c', 'alias.mk=!f() { git mktree < "$1"; }; f', 'mk', join(repo.base, `tree-${name}`));
  await repo.git('branch', name, await repo.git('commit-tree', '-p', 'main', '-m', name, tree));
}

const start = async (config = STRICT) => {
  const repo = await gitRepo({ 'furrow.yaml': config, 'README.md': 'x\n' });
  await branch(repo, 'bad');
  await branch(repo, 'good');
  return repo;
};

const config = (repo: TestRepo) => join(repo.root, 'furrow.yaml');

/** Red work must come back red, whatever is in the checkout now. */
async function expectStrict(repo: TestRepo, running: TestFarm): Promise<void> {
  expect(await running.furrow('submit', 'bad', '--wait')).toMatchObject({ code: 1, stdout: expect.stringContaining('rejected') });
  expect(await repo.git('ls-tree', '--name-only', 'main')).not.toContain('bad.txt');
}

it('a file that is missing, empty or invalid in the checkout changes nothing, and is said', async () => {
  await using repo = await start();
  await using running = farm(repo);
  await running.ask('status');
  await killDaemon(running);
  await rm(config(repo));
  await expectStrict(repo, running);
  expect((await running.ask('status')).config.differs).toMatch(/not in your checkout/);
  await repo.write('furrow.yaml', '');
  await expectStrict(repo, running);
  expect((await running.ask('status')).config.differs).toMatch(/is empty/);
  await repo.write('furrow.yaml', 'check: [\n');
  await killDaemon(running);
  await expectStrict(repo, running);
  expect((await running.ask('status')).config.differs).toMatch(/not valid/);
  expect(await running.furrow('config', '--json')).toMatchObject({ code: 1, stderr: expect.stringMatching(/furrow\.yaml:\d+: /) });
  await repo.write('furrow.yaml', STRICT);
  expect((await running.ask('status')).config.differs).toBeNull();
});

it('an editor that saves in place, empty first and then half, takes no check away', async () => {
  await using repo = await start();
  await using running = farm(repo);
  await running.ask('status');
  await repo.write('../strict.yaml', STRICT);
  const editor = ': > furrow.yaml; sleep 1.2; head -n 1 ../strict.yaml > furrow.yaml; sleep 1.2; cat ../strict.yaml > furrow.yaml';
  const saved = exec(['sh', '-c', editor], { cwd: repo.root, env: plainEnv(repo), timeoutMs: 60_000 });
  await expect.poll(() => readFile(config(repo), 'utf8')).toBe('');
  await expectStrict(repo, running);
  expect(await saved).toMatchObject({ code: 0 });
  expect((await running.events()).filter((event) => event.kind === 'config.changed')).toHaveLength(1);
});

it('a weaker check on the branch that the user has checked out decides nothing, and the difference is said with its reason', async () => {
  await using repo = await start();
  await using running = farm(repo);
  await running.ask('status');
  await repo.git('switch', '--quiet', '--create', 'feature');
  await repo.write('furrow.yaml', WEAK);
  await repo.commit('weaker');
  await expectStrict(repo, running);
  await killDaemon(running);
  expect((await running.ask('status')).config.differs).toMatch(/feature is checked out, and work lands on main/);
  const said = await running.furrow('config');
  expect(said).toMatchObject({ code: 0 });
  expect(said.stdout).toMatch(
    /^# in force since .*: furrow\.yaml of main at [0-9a-f]{8}\n# work lands on main: .*\n# isolation: none .*\n# not in force: .*feature/,
  );
  // What is printed is a furrow.yaml: no key in it that the file would not take.
  expect(parseConfig(said.stdout, 'printed')).toMatchObject({ parallel: 2, checks: [{ run: 'test ! -e bad.txt' }] });
});

it('an older file on another branch does not come back into force, nor at the first start of a farm', async () => {
  await using repo = await start(WEAK);
  await repo.git('branch', 'old');
  await repo.write('furrow.yaml', STRICT);
  await repo.commit('stricter');
  await repo.git('switch', '--quiet', 'old');
  await using running = farm(repo);
  await expectStrict(repo, running);
  expect((await running.ask('config')).in_force).toMatchObject({ source: 'target', commit: await repo.git('rev-parse', 'main') });
});

it('a file that was just saved in the checkout of the target holds for the next command, and every change is an event', async () => {
  await using repo = await start();
  await using running = farm(repo);
  expect(await running.ask('config')).toMatchObject({ parallel: 2, target: 'main', in_force: { source: 'target' } });
  await repo.write('furrow.yaml', `${STRICT}attempts: 7\n`);
  expect(await running.ask('config')).toMatchObject({ attempts: 7, in_force: { source: 'checkout', commit: null }, differs: null });
  await repo.write('furrow.yaml', 'parallel: 5\n');
  expect(await running.furrow('submit', 'bad', '--wait')).toMatchObject({ code: 0 });
  // Another board: its tasks are there for the next command, and what is edited there is noticed.
  await writeBoard(repo, [{ id: 1, title: 'Of the old board' }]);
  await repo.write('kanban/tasks/007-new.md', taskFile({ id: 7, title: 'Of the new board' }));
  const titles = async () => (await running.ask('list')).map(({ title }: { title: string }) => title);
  expect(await titles()).toEqual(['Of the old board']);
  await repo.write('furrow.yaml', 'parallel: 5\nboard: kanban\n');
  expect(await titles()).toEqual(['Of the new board']);
  const events = await running.events();
  const changes = events.filter((event) => event.kind === 'config.changed').map(({ data }) => [data['source'], data['keys']]);
  expect(changes).toEqual([
    ['target', []],
    ['checkout', ['attempts']],
    ['checkout', ['parallel', 'attempts', 'checks']],
    ['checkout', ['board']],
  ]);
  expect(events.find((event) => event.kind === 'landing.landed')!.text).toContain('WITHOUT ANY CHECK');
});

it('furrow.yaml deleted by a commit on the target is a question, and its checks stay in force', async () => {
  await using repo = await start();
  await using running = farm(repo);
  await running.ask('status');
  await repo.git('rm', '--quiet', 'furrow.yaml');
  await repo.git('commit', '--quiet', '--message', 'no furrow.yaml');
  await expectStrict(repo, running);
  const { attention } = await running.ask('status');
  expect(attention).toContainEqual(expect.objectContaining({ kind: 'config', reason: expect.stringContaining('was deleted on main') }));
});

it('no landing brings another furrow.yaml to the target; a merge by the person does, and brings it into force', async () => {
  await using repo = await start();
  await repo.git('switch', '--quiet', '--create', 'tighter');
  await repo.write('furrow.yaml', `${STRICT}attempts: 9\n`);
  await repo.commit('attempts');
  await repo.git('switch', '--quiet', 'main');
  await using running = farm(repo);
  expect(await running.furrow('submit', 'tighter', '--wait')).toMatchObject({ code: 1, stderr: expect.stringContaining('furrow.yaml') });
  expect((await running.ask('config')).attempts).toBe(3);
  await repo.git('merge', '--quiet', '--ff-only', 'tighter');
  await expect.poll(async () => (await running.ask('config')).attempts).toBe(9);
  expect((await running.ask('config')).in_force.source).toBe('target');
});

it('a landing that was decided under other checks is not carried out: the new ones must pass first', async () => {
  await using repo = await start(WEAK);
  const go = join(repo.base, 'go');
  await using running = farm(repo);
  await furrowIn(repo, { env: { FURROW_FAULT: `landing.land.before:1:hold=${go}` } }, 'list');
  expect(await running.furrow('submit', 'bad')).toMatchObject({ code: 0 });
  await expect.poll(() => isLanding(repo)).toBe(true);
  expect(existsSync(go)).toBe(false);
  await killDaemon(running);
  await repo.write('furrow.yaml', STRICT);
  await expect.poll(async () => (await running.ask('queue')).entries[0].state).toBe('rejected');
  expect(await repo.git('ls-tree', '--name-only', 'refs/furrow/head/main')).not.toContain('bad.txt');
  expect((await running.events()).map((event) => event.kind)).toContain('landing.dropped');
  expect(await running.furrow('submit', 'good', '--wait')).toMatchObject({ code: 0 });
  const { entries, landings } = await running.ask('queue');
  expect(landings.at(-1).checks).toMatch(/^[0-9a-f]{16}$/);
  expect(entries.map((entry: { checks: string }) => entry.checks)).toEqual([landings.at(-1).checks, landings.at(-1).checks]);
});

it('a file that is saved right after a commit of another one comes into force, and the next command uses it, be it work', async () => {
  await using repo = await scriptedRepo();
  await using running = farm(repo);
  expect((await running.ask('config')).parallel).toBe(4);
  const file = await readFile(join(repo.root, 'furrow.yaml'), 'utf8');
  await repo.write('furrow.yaml', `${file}parallel: 2\n`);
  await repo.git('commit', '--quiet', '--all', '--message', 'two at a time');
  await repo.write('furrow.yaml', `${file}parallel: 3\n`);
  expect(await running.ask('config')).toMatchObject({ parallel: 3, in_force: { source: 'checkout' }, differs: null });
  // Asked at once: a process of its own would come after the file is in force in any case.
  const client = await connect(repo.root, { start: false });
  await repo.write('furrow.yaml', `${file}parallel: 5\n`);
  expect(await client.call('work', {})).toMatchObject({ parallel: 5 });
  client.close();
});

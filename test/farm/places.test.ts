import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { startAndDial } from '../../src/api/start.ts';
import { identify } from '../../src/platform/process/identity.ts';
import { writeBoard } from '../support/board.ts';
import { farm, furrow, killDaemon } from '../support/farm.ts';
import { allProcesses, lives, variable } from '../support/processes.ts';
import type { TestRepo } from '../support/repo.ts';
import { commits, file, SHELL, scriptedRepo, shellRepo } from './shell.ts';

const worktreesIn = async (home: string) => (await readdir(join(home, 'worktrees/default')).catch(() => [])).sort();

/** Every agent that the store knows, and where it works. */
function agentsOf(repo: { root: string }): { name: string; worktree: string }[] {
  const store = new DatabaseSync(join(repo.root, '.furrow/store.db'), { readOnly: true });
  const rows = store.prepare('select name, worktree from agent order by idx').all() as { name: string; worktree: string }[];
  store.close();
  return rows.map(({ name, worktree }) => ({ name, worktree }));
}

it('a check does not find what the checkout has and a clone has not', async () => {
  const runs = 'for f in src/*.cjs; do [ ! -f "$f" ] || node "$f" || exit 1; done\n';
  await using repo = await scriptedRepo('', { '.gitignore': 'node_modules/\n', 'check.sh': runs });
  await repo.git('checkout', '-q', '-b', 'needy');
  await repo.write('src/needy.cjs', "require('left-pad')\n");
  await repo.commit('needs a package');
  await repo.git('checkout', '-q', 'main');
  await repo.write('node_modules/left-pad/index.js', 'module.exports = 1\n');
  await using running = farm(repo);
  const submitted = await running.furrow('submit', 'needy', '--wait');
  expect(submitted.code, submitted.stdout).toBe(1);
  expect(await repo.tryGit('cat-file', '-e', 'main:src/needy.cjs')).not.toMatchObject({ code: 0 });
});

it('agents work beside the repository; another worktree.root takes the worktrees along once no agent is at work', async () => {
  await using repo = await scriptedRepo();
  await writeBoard(repo, [{ id: 1, title: 'One', script: [...file(1), 'write src/half.txt half', 'blocked no'] }]);
  await using running = farm(repo);
  await running.furrow('work', '--parallel', '1');
  const [agent] = agentsOf(repo) as [{ name: string; worktree: string }];
  expect(agent.worktree).toBe(join(repo.base, 'repo.furrow/worktrees/default', agent.name));
  expect(existsSync(join(repo.root, '.furrow/worktrees'))).toBe(false);
  await running.furrow('stop', '--all');
  await repo.write('furrow.yaml', `${await readFile(join(repo.root, 'furrow.yaml'), 'utf8')}worktree: { root: ../elsewhere/farm }\n`);
  await repo.commit('another root');
  await running.furrow('status');
  const [moved] = agentsOf(repo) as [{ name: string; worktree: string }];
  expect(moved.worktree).toBe(join(repo.base, 'elsewhere/farm/worktrees/default', agent.name));
  expect(await readFile(join(moved.worktree, 'src/half.txt'), 'utf8')).toBe('half\n');
  expect(existsSync(join(repo.base, 'repo.furrow'))).toBe(false);
  expect(await repo.git('-C', moved.worktree, 'status', '--porcelain')).toContain('src/half.txt');
});

/** Makes of a farm one of the time when worktrees and slots were in `.furrow`. */
async function asBefore(repo: TestRepo): Promise<void> {
  const [home, dir] = [join(repo.base, 'repo.furrow'), join(repo.root, '.furrow')];
  const store = new DatabaseSync(join(dir, 'store.db'));
  for (const name of await worktreesIn(home)) {
    const to = join(dir, 'worktrees/default', name);
    await mkdir(join(to, '..'), { recursive: true });
    await repo.git('worktree', 'move', join(home, 'worktrees/default', name), to);
    store.prepare('update agent set worktree = ? where name = ?').run(to, name);
  }
  store.close();
  await mkdir(join(dir, 'slots'), { recursive: true });
  for (const name of await readdir(join(home, 'slots')))
    await repo.git('worktree', 'move', join(home, 'slots', name), join(dir, 'slots', name));
  await rm(home, { recursive: true });
  await rm(join(repo.root, '.git/furrow.run/farm.json'));
}

it('a farm with worktrees and slots in .furrow is moved over, and nothing is lost', async () => {
  await using repo = await scriptedRepo('worktree: { keep: always }\n');
  await writeBoard(repo, [
    { id: 1, title: 'Half', script: [...file(1), 'write src/half.txt half', 'blocked no'] },
    { id: 2, title: 'Whole', script: file(2) },
  ]);
  await using running = farm(repo);
  await running.furrow('work', '--parallel', '2');
  const names = agentsOf(repo).map(({ name }) => name);
  expect(names).toHaveLength(2);
  await running.furrow('stop', '--all');
  await asBefore(repo);
  expect(await repo.git('worktree', 'list')).toContain('.furrow/slots/');

  await running.furrow('status');
  const places = names.map((name) => join(repo.base, 'repo.furrow/worktrees/default', name));
  expect(agentsOf(repo).map(({ worktree }) => worktree)).toEqual(places);
  const kept = await worktreesIn(join(repo.base, 'repo.furrow'));
  expect(kept).toHaveLength(1);
  const half = join(repo.base, 'repo.furrow/worktrees/default', kept[0]!);
  expect(await readFile(join(half, 'src/half.txt'), 'utf8')).toBe('half\n');
  expect(await repo.git('-C', half, 'log', '-1', '--format=%s')).toBe('1');
  expect(await repo.git('worktree', 'list')).not.toContain(join(repo.root, '.furrow'));
  expect((await running.events()).map(({ kind }) => kind)).toContain('worktree.moved');

  await running.furrow('unblock', '1');
  await running.furrow('work', '--parallel', '2');
  expect((await running.events()).filter(({ kind }) => kind === 'attempt.crashed')).toEqual([]);
});

it('a socket, a run folder or an epoch that was removed is there again, and the same daemon goes on', async () => {
  await using repo = await shellRepo({ 1: `until [ -e ../../../../go ]; do sleep 0.1; done; ${commits('1')}` });
  await writeBoard(repo, [{ id: 1 }]);
  await using running = farm(repo);
  await running.furrow('work', '--parallel', '1', '--detach');
  await expect.poll(async () => (await running.ask('status')).agents[0]?.state).toBe('working');
  const { pid } = (await running.ask('status')).farm;
  await rm(join(repo.root, '.furrow/run/daemon.sock'));
  expect((await running.ask('status')).farm.pid).toBe(pid);
  await rm(join(repo.root, '.furrow/run'), { recursive: true });
  expect((await running.ask('status')).farm.pid).toBe(pid);
  const epoch = await repo.git('cat-file', 'blob', 'refs/furrow/epoch');
  await repo.git('update-ref', '-d', 'refs/furrow/epoch');
  await repo.write('../go', '');
  expect(await running.furrow('work', '--parallel', '1')).toMatchObject({ code: 0 });
  expect(await running.ask('list')).toMatchObject([{ id: '1', state: 'landed', attempt: 1 }]);
  expect(await repo.git('cat-file', 'blob', 'refs/furrow/epoch')).toBe(epoch);
  const kinds = (await running.events()).map(({ kind }) => kind);
  expect(kinds.filter((kind) => /^(farm.healed|epoch.restored)$/.test(kind)).length).toBeGreaterThanOrEqual(3);
  await running.furrow('stop', '--all');
  await repo.git('update-ref', '-d', 'refs/furrow/epoch');
  await running.furrow('resume');
  const number = (text: string) => Number(text.split(' ')[2]);
  expect(number(await repo.git('cat-file', 'blob', 'refs/furrow/epoch'))).toBeGreaterThan(number(epoch));
});

it('a log of the store that was removed costs nothing: what was in it is known after a kill', async () => {
  await using repo = await scriptedRepo();
  await writeBoard(repo, [{ id: 1, script: file(1) }]);
  await using running = farm(repo);
  expect(await running.furrow('work', '--parallel', '1')).toMatchObject({ code: 0 });
  await rm(join(repo.root, '.furrow/store.db-wal'));
  const healed = async () => (await running.events()).filter(({ kind }) => kind === 'farm.healed').length;
  await expect.poll(healed).toBe(1);
  await running.furrow('add', 'one more');
  await killDaemon(running);
  expect(await running.ask('list')).toMatchObject([{ state: 'landed' }, { title: 'one more' }]);
  expect([await healed(), (await running.ask('status')).attention]).toEqual([1, []]);
});

/** Every process that this farm's agents and checks have running. */
const atWork = (repo: TestRepo) => allProcesses().filter((seen) => variable(seen, 'FURROW_REPO') === repo.root && lives(seen));

it('git clean -fdx: one daemon, landed tasks stay landed, queued work is queued, and stop --all ends the agents', async () => {
  const scripts = {
    1: commits('1'),
    2: `until [ -e ../../../../two ]; do sleep 0.1; done; ${commits('2')}`,
    3: `${commits('3')}; sleep 300`,
  };
  await using repo = await shellRepo(scripts, `${SHELL}resources: { db: 1 }\n`);
  await writeBoard(repo, [{ id: 1 }, { id: 2 }, { id: 3 }]);
  await repo.commit('board');
  await using running = farm(repo);
  await running.furrow('work', '--parallel', '3', '--detach');
  const stateOf = async (id: number) => (await running.ask('list'))[id - 1].state;
  await expect.poll(() => stateOf(1)).toBe('landed');
  await running.furrow('queue', 'pause');
  await repo.write('../two', '');
  await expect.poll(() => stateOf(2)).toBe('submitted');
  await expect.poll(() => atWork(repo).length).toBeGreaterThan(0);
  const grant = async () => Number((await running.furrow('hold', 'db', '--', 'sh', '-c', 'echo $FURROW_GRANT')).stdout);
  const grants = [await grant(), await grant()];
  const { pid } = (await running.ask('status')).farm;
  await expect.poll(async () => (await repo.tryGit('clean', '-fdxq')).code).toBe(0);
  await repo.git('checkout', '--', 'board');

  const status = await running.ask('status');
  expect(status.farm.pid).not.toBe(pid);
  await expect.poll(() => identify(pid)).toBeUndefined();
  expect(status.attention).toMatchObject([{ kind: 'store', reason: expect.stringContaining('furrow submit furrow/default/') }]);
  expect(await running.ask('list')).toMatchObject([{ state: 'landed' }, { attempt: 1 }, { state: 'ready', attempt: 1 }]);
  await expect.poll(() => stateOf(2)).toBe('landed');
  expect(atWork(repo)).toEqual([]);
  grants.push(await grant());
  expect(grants).toEqual([...new Set(grants)].sort((a, b) => a - b));

  await running.furrow('work', '--parallel', '1', '--detach');
  await expect.poll(() => atWork(repo).length).toBeGreaterThan(0);
  // The daemon may write into a folder that git has just emptied: git then says so, and a person types it again.
  await expect.poll(async () => (await repo.tryGit('clean', '-fdxq')).code).toBe(0);
  expect(await running.furrow('stop', '--all')).toMatchObject({ code: 0 });
  expect(atWork(repo)).toEqual([]);
  expect((await repo.git('log', '--format=%H', '--grep=^Furrow-Task: 1$', 'main')).split('\n')).toHaveLength(1);
});

it('a copied repository is a farm of its own, and a moved one is found again with its agents and their work', async () => {
  // All of its processes are there when it says that it has started: they are counted.
  const half = 'echo half > src/half.txt; sleep 300 & touch ../../../../started; wait';
  await using repo = await shellRepo({ 1: `if [ -e ../../../../again ]; then ${commits('1')}; else ${half}; fi` });
  await writeBoard(repo, [{ id: 1 }]);
  await repo.commit('board');
  await furrow(repo, 'work', '--parallel', '1', '--detach');
  await expect.poll(() => existsSync(join(repo.base, 'started'))).toBe(true);
  const working = atWork(repo).length;
  expect(working).toBeGreaterThan(0);

  const copy = { ...repo, root: join(repo.base, 'copy') };
  await cp(repo.root, copy.root, {
    recursive: true,
    filter: (path) => !path.includes('/furrow.run/radar/') && !path.endsWith('.sock') && !path.endsWith('.pipe'),
  });
  expect((await furrow(copy, 'list', '--json')).json()).toMatchObject([{ id: '1', state: 'ready' }]);
  expect((await furrow(copy, 'log')).stdout).toContain('is a copy of');
  await furrow(copy, 'stop', '--all', '--now');
  expect(atWork(repo)).toHaveLength(working);
  expect((await furrow(repo, 'list', '--json')).json()).toMatchObject([{ id: '1', state: 'leased' }]);

  const moved = { ...repo, root: join(repo.base, 'app') };
  await rename(repo.root, moved.root);
  await writeFile(join(repo.base, 'again'), '');
  await using running = farm(moved);
  const work = await running.furrow('work', '--parallel', '1');
  expect(work, work.stdout + work.stderr).toMatchObject({ code: 0 });
  expect(await running.ask('list')).toMatchObject([{ id: '1', state: 'landed', attempt: 2 }]);
  expect(atWork(repo)).toEqual([]);
  expect(agentsOf(moved)[0]?.worktree).toMatch(/\/app\.furrow\/worktrees\//);
  expect(existsSync(join(repo.base, 'repo.furrow'))).toBe(false);
  const kinds = (await running.events()).map(({ kind }) => kind);
  expect(kinds.filter((kind) => kind === 'farm.moved')).toHaveLength(1);
  expect((await running.furrow('doctor')).stdout).toContain(join(repo.base, 'app.furrow'));
});

it('a daemon that does not answer is named, with what to do', async () => {
  await using repo = await shellRepo({});
  await using running = farm(repo);
  const { pid } = (await running.ask('status')).farm;
  process.kill(pid, 'SIGSTOP');
  try {
    await rm(join(repo.root, '.furrow/run/daemon.sock'));
    const error = await startAndDial(repo.root, async () => undefined, { startMs: 3000 }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'DAEMON_UNREACHABLE',
      message: expect.stringContaining(`pid ${pid}`),
      hint: expect.stringContaining(`kill ${pid}`),
    });
  } finally {
    process.kill(pid, 'SIGCONT');
  }
});

it('a branch named furrow and a broken store are said at once, with what to do; doctor --fix puts the store aside', async () => {
  await using repo = await scriptedRepo();
  await repo.git('branch', 'furrow');
  await using running = farm(repo);
  for (const command of [['work'], ['init', '--yes']]) {
    const said = await running.furrow(...command);
    expect(said).toMatchObject({ code: 1, stderr: expect.stringMatching(/branch is named furrow[\s\S]*git branch -m furrow/) });
  }
  expect((await running.furrow('doctor')).stdout).toMatch(/branch is named furrow/);
  await running.furrow('stop', '--all');
  const store = join(repo.root, '.furrow/store.db');
  await writeFile(store, 'this was a store, once '.repeat(500));
  const said = await running.furrow('status');
  expect(said).toMatchObject({ code: 1, stderr: expect.stringContaining(store) });
  expect(said.stderr).toContain('furrow doctor --fix');
  expect(await readFile(store, 'utf8')).toContain('once');
  expect((await running.furrow('doctor', '--fix')).stdout).toContain('.broken-');
  expect(await running.furrow('status')).toMatchObject({ code: 0 });
  const kept = (await readdir(join(repo.root, '.furrow'))).find((name) => name.includes('.broken-'))!;
  expect(await readFile(join(repo.root, '.furrow', kept), 'utf8')).toContain('once');
});

import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeBoard } from '../support/board.ts';
import { farm, furrowIn, type TestFarm } from '../support/farm.ts';
import { CANARY, hostile } from '../support/hostile.ts';
import type { TestRepo } from '../support/repo.ts';
import { commits, file, SHELL, scriptedRepo, shellRepo } from './shell.ts';

const worktrees = async (repo: TestRepo) => (await readdir(join(`${repo.root}.furrow`, 'worktrees/default')).catch(() => [])).sort();
const onMain = (repo: TestRepo, path: string) => repo.git('show', `main:${path}`);
/** Lines that the agents of a test wrote into a file of their home, which no worktree holds. */
const noted = async (repo: TestRepo, name: string) =>
  (await readFile(join(repo.home, name), 'utf8').catch(() => '')).split('\n').filter(Boolean);
const note = (what: string, name: string) => `${what} >> "$HOME/${name}"`;
/** Waits until this many lines were noted: the agents that wrote them are at work at the same time. */
const together = (count: number, name: string) => `until [ "$(wc -l < "$HOME/${name}")" -ge ${count} ]; do sleep 0.05; done`;

async function whyText(running: TestFarm, task: string): Promise<string> {
  return (await running.ask('why', task)).reasons.map((reason: { text: string }) => reason.text).join('; ');
}

describe('the worktree of an agent', () => {
  it('is kept for the next task: ignored build state stays, what lay about does not, and that is not lost', async () => {
    const first = `mkdir cache; echo warm > cache/state; echo half > half.txt; echo half >> README.md; exit 3`;
    const second = `${note('cat cache/state', 'seen')}; ${note('git status --porcelain', 'dirt')}; ${note('pwd', 'places')}; ${commits('2')}`;
    await using repo = await shellRepo({ 1: `${note('pwd', 'places')}; ${first}`, 2: second }, `${SHELL}attempts: 1\n`);
    await writeBoard(repo, [{ id: 1, priority: 'high' }, { id: 2 }]);
    await using running = farm(repo);
    await running.furrow('work', '--parallel', '1');
    expect(await noted(repo, 'seen')).toEqual(['warm']);
    expect(await noted(repo, 'dirt')).toEqual([]);
    expect(new Set(await noted(repo, 'places')).size).toBe(1);
    expect(await repo.git('show', 'refs/furrow/pin/default/1/1-uncommitted:half.txt')).toBe('half');
    expect(await repo.git('show', 'refs/furrow/pin/default/1/1-uncommitted:README.md')).toBe('x\nhalf');
  });

  it('and its name are taken up again by the next work', async () => {
    const look = `${note('echo "$FURROW_AGENT" "$(cat cache/state 2>/dev/null || echo cold)"', 'seen')}; mkdir -p cache; echo warm > cache/state`;
    await using repo = await shellRepo(
      { 1: `${look}; ${commits('1')}`, 2: `${look}; ${commits('2')}` },
      `${SHELL}worktree: { keep: always }\n`,
    );
    await using running = farm(repo);
    await writeBoard(repo, [{ id: 1 }]);
    await running.furrow('work', '--parallel', '1');
    const [name] = await worktrees(repo);
    await running.furrow('add', 'Second');
    await running.furrow('work', '--parallel', '1');
    expect(await noted(repo, 'seen')).toEqual([`${name} cold`, `${name} warm`]);
    expect(await worktrees(repo)).toEqual([name]);
  });

  it.each([
    ['always', ['landed', 'blocked']],
    ['on-failure', ['blocked']],
    ['never', []],
  ])('is kept at the end: %s', async (keep, left) => {
    await using repo = await shellRepo(
      {
        1: `${note('echo landed "$FURROW_AGENT"', 'who')}; ${together(2, 'who')}; ${commits('1')}`,
        2: `${note('echo blocked "$FURROW_AGENT"', 'who')}; ${together(2, 'who')}; exit 75`,
      },
      `${SHELL}worktree: { keep: ${keep} }\n`,
    );
    await writeBoard(repo, [{ id: 1 }, { id: 2 }]);
    await using running = farm(repo);
    await running.furrow('work', '--parallel', '2');
    const who = (await noted(repo, 'who')).map((line) => line.split(' '));
    const names = who.filter(([what]) => left.includes(what!)).map(([, name]) => name);
    await expect.poll(() => worktrees(repo)).toEqual(names.sort());
  });

  it('gets its surroundings once, and anew with another lockfile, as does its check: copied files, what set-up made, a port and variables of its own', async () => {
    const shared = 'echo shared >> $HOME/setup.log; mkdir node_modules; cp .env node_modules/env; cp package-lock.json node_modules/lock';
    const own = 'echo own $DATABASE_URL >> $HOME/setup.log';
    const setup = `setup: [${JSON.stringify(shared)}, ${JSON.stringify(own)}]`;
    const config = `${SHELL}worktree: { copy: [.env], ${setup}, env: { DATABASE_URL: "x_{agent}", BASE: "{port}" } }\n`;
    const look = `${note('echo "$FURROW_AGENT $DATABASE_URL $PORT $BASE $(cat .env node_modules/env | sort -u) $(cat node_modules/lock)"', 'env')}; ${together(2, 'env')}`;
    await using repo = await shellRepo(
      {
        1: `${look}; echo v2 > package-lock.json; git add package-lock.json; ${commits('1')}`,
        2: `${look}; ${commits('2')}`,
        3: `${look}; ${commits('3')}`,
      },
      config,
      {
        'check.sh': 'grep -q KEY=1 node_modules/env && cmp package-lock.json node_modules/lock\n',
        '.gitignore': '.env\nnode_modules\n',
        'package-lock.json': 'v1\n',
      },
    );
    await repo.write('.env', 'KEY=1\n');
    await writeBoard(repo, [{ id: 1 }, { id: 2 }, { id: 3, depends_on: [1, 2] }]);
    await using running = farm(repo);
    expect(await running.furrow('work', '--parallel', '2')).toMatchObject({ code: 0 });
    const seen = (await noted(repo, 'env')).map((line) => line.split(' ') as [string, string, string, string, string, string]);
    for (const [agent, url, port, base, key] of seen) expect([url, base, key]).toEqual([`x_${agent}`, port, 'KEY=1']);
    expect(seen.map((line) => line[5])).toEqual(['v1', 'v1', 'v2']);
    const agents = [...new Set(seen.map(([agent]) => agent))];
    expect(agents).toHaveLength(2);
    const last = seen[2]![0];
    expect((await noted(repo, 'setup.log')).sort()).toEqual(
      [...agents, last]
        .map((agent) => `own x_${agent}`)
        .concat('shared', 'shared')
        .sort(),
    );
    const { stdout: log } = await running.furrow('log');
    for (const agent of agents) expect(log).toContain(`the worktree of ${agent} got node_modules from the template`);
    expect(new Set(seen.map(([, , port]) => port)).size).toBe(2);
  });
});

describe('an attempt', () => {
  it('sees the variables furrow promises and none of the secrets of whoever started the farm', async () => {
    await using repo = await shellRepo({ 1: `env > "$HOME/env"; command -v furrow > "$HOME/furrow"; ${commits('1')}` });
    await writeBoard(repo, [{ id: 1 }]);
    await using _running = farm(repo);
    const secrets = { SECRET_TOKEN: 'hunter2', AWS_SECRET_ACCESS_KEY: 'hunter3', CLAUDECODE: '1', NODE_OPTIONS: '--no-warnings' };
    expect(await furrowIn(repo, { env: secrets }, 'work', '--parallel', '1')).toMatchObject({ code: 0 });
    const env = Object.fromEntries((await noted(repo, 'env')).map((line) => line.split(/=(.*)/s) as [string, string]));
    const promised = ['AGENT', 'TASK', 'PHASE', 'ATTEMPT', 'BRANCH', 'BASE', 'PROMPT_FILE'].map((name) => `FURROW_${name}`);
    // The last three are furrow's own: where `furrow` asks, by which socket, and the mark by which the tree of the attempt is found.
    expect(
      Object.keys(env)
        .filter((name) => name.startsWith('FURROW_'))
        .sort(),
    ).toEqual([...promised, 'FURROW_REPO', 'FURROW_RUN', 'FURROW_DOOR'].sort());
    expect(env).toMatchObject({ FURROW_TASK: '1', FURROW_PHASE: 'default', FURROW_ATTEMPT: '1', PORT: expect.stringMatching(/^\d+$/) });
    expect(env['FURROW_BRANCH']).toBe(`furrow/default/${env['FURROW_AGENT']}/1`);
    for (const name of [...Object.keys(secrets), 'TMUX', 'TMUX_PANE']) expect(env).not.toHaveProperty(name);
    expect(JSON.stringify(env)).not.toMatch(/hunter/);
    expect(await noted(repo, 'furrow')).toHaveLength(1);
  });

  it('ends at its timeout, and counts as one that failed', async () => {
    await using repo = await shellRepo(
      { 1: commits('1', 'late').concat('; sleep 60') },
      SHELL.replace('run:', 'timeout: 5s, run:').concat('attempts: 1\n'),
    );
    await writeBoard(repo, [{ id: 1 }]);
    await using running = farm(repo);
    const work = await running.furrow('work', '--parallel', '1');
    expect(work.code).toBe(1);
    expect(work.stdout).toContain('timeout');
    expect(await repo.git('log', '--all', '--format=%s', '--not', 'main')).toContain('1');
  });

  it('has what it left uncommitted committed for it with commit: auto, under its title and what it said it did', async () => {
    await using repo = await shellRepo({ 1: 'echo 1 > src/1.txt; echo y > README.md; furrow done --summary "One is there now."' });
    await writeBoard(repo, [{ id: 1, title: 'Leave it' }]);
    await using running = farm(repo);
    expect(await running.furrow('work', '--parallel', '1')).toMatchObject({ code: 0 });
    expect([await onMain(repo, 'src/1.txt'), await onMain(repo, 'README.md')]).toEqual(['1', 'y']);
    expect(await repo.git('log', '-1', '--format=%B', 'main')).toMatch(/^Leave it\n\nOne is there now\.\n\nFurrow-Task: 1\n/);
  });

  it('is told what is missing with commit: agent, when it lies, and when it stays in a merge', async () => {
    await using repo = await shellRepo(
      {
        1: `${note('cat "$FURROW_PROMPT_FILE"', 'prompts')}; echo 1 > src/1.txt`,
        2: 'furrow done --summary "all of it"',
        3: `git checkout --quiet -B side; echo a > src/list.txt; git commit --quiet -am a; git checkout --quiet "$FURROW_BRANCH"; echo b > src/list.txt; git commit --quiet -am b; git merge side || :`,
      },
      SHELL.replace('run:', 'commit: agent, run:').concat('attempts: 2\n'),
    );
    await writeBoard(repo, [{ id: 1 }, { id: 2 }, { id: 3 }]);
    await using running = farm(repo);
    const work = await running.furrow('work', '--parallel', '3');
    expect(work.code).toBe(1);
    expect(await whyText(running, '1')).toContain('uncommitted changes');
    expect(await whyText(running, '2')).toContain('the agent exited without changing anything');
    expect(await whyText(running, '3')).toContain('merge');
    expect((await noted(repo, 'prompts')).join('\n')).toContain('uncommitted changes');
    expect((await running.ask('status')).attention.map((one: { subject: string }) => one.subject).sort()).toEqual(['1', '2', '3']);
  });

  it('loses no commit to an agent that switches its branch, detaches its HEAD or deletes its branch', async () => {
    const sha = note('echo "$(git rev-parse HEAD) $FURROW_TASK"', 'commits');
    const next = `[ "$FURROW_ATTEMPT" = 1 ] || { echo "$FURROW_TASK" > src/$FURROW_TASK.txt; exit 0; }`;
    await using repo = await shellRepo({
      1: `${next}; git checkout --quiet -b elsewhere; ${commits('1')}; ${sha}`,
      2: `${next}; git checkout --quiet --detach; ${commits('2')}; ${sha}`,
      3: `${next}; ${commits('3')}; ${sha}; git checkout --quiet --detach; git branch --quiet -D "$FURROW_BRANCH"`,
    });
    await writeBoard(repo, [{ id: 1 }, { id: 2 }, { id: 3 }]);
    await using running = farm(repo);
    await running.furrow('work', '--parallel', '2');
    const held = new Set((await repo.git('rev-list', '--all')).split('\n'));
    const made = await noted(repo, 'commits');
    expect(made).toHaveLength(3);
    expect(made.filter((line) => !held.has(line.split(' ')[0]!))).toEqual([]);
  });

  it('is handed back when it touched protected paths, and is told which', async () => {
    await using repo = await scriptedRepo('protect: ["infra/**"]\nattempts: 2\n', { 'infra/deploy.sh': 'true\n' });
    await writeBoard(repo, [
      { id: 1, script: ['attempt 1:', 'append infra/deploy.sh false', 'commit 1', 'attempt 2:', ...file(1)] },
      { id: 2, script: ['attempt 1:', 'append furrow.yaml #', 'commit 2', 'attempt 2:', ...file(2)] },
      { id: 3, script: ['attempt 1:', 'write board/tasks/009-mine.md x', 'commit 3', 'attempt 2:', ...file(3)] },
    ]);
    await using running = farm(repo);
    const work = await running.furrow('work', '--parallel', '3');
    expect(work, work.stdout).toMatchObject({ code: 0 });
    const back = (await running.events()).filter((event) => event.kind === 'task.handed-back').map((event) => event.text);
    for (const path of ['infra/deploy.sh', 'furrow.yaml', 'board/tasks/009-mine.md']) expect(back.join('\n')).toContain(path);
    expect(await onMain(repo, 'infra/deploy.sh')).toBe('true');
    expect((await repo.tryGit('cat-file', '-e', 'main:board/tasks/009-mine.md')).code).not.toBe(0);
  });

  it('that exits with 75 is blocked with its last line, on the board and in the attention list', async () => {
    await using repo = await shellRepo({ 1: 'echo first; echo "need the key to the database"; exit 75' });
    const [name] = await writeBoard(repo, [{ id: 1 }]);
    await using running = farm(repo);
    const work = await running.furrow('work', '--parallel', '1');
    expect(work.code).toBe(1);
    expect((await running.ask('list'))[0]).toMatchObject({ state: 'blocked' });
    expect((await running.ask('status')).attention).toMatchObject([
      { kind: 'blocked', subject: '1', reason: 'need the key to the database' },
    ]);
    expect(await readFile(join(repo.root, name!), 'utf8')).toMatch(/^block_reason: .*need the key to the database/m);
  });

  it('is not harmed by a hostile title or body, and runs none of it', async () => {
    await using repo = await scriptedRepo();
    const texts = hostile.filter((text) => text.trim() !== '' && !text.includes('```script'));
    const some = texts.filter((_, n) => n % 15 === 0);
    await writeBoard(
      repo,
      some.map((text, n) => ({ id: n + 1, title: text, body: text, script: file(n + 1) })),
    );
    await using running = farm(repo);
    const work = await running.furrow('work', '--parallel', '3');
    const list = await running.ask('list');
    expect(
      list.filter((task: { state: string }) => task.state !== 'landed'),
      work.stderr,
    ).toEqual([]);
    expect(list).toHaveLength(some.length);
    expect((await repo.git('ls-files', '--others', '--', `*${CANARY}*`)) + existsSync(join(repo.home, CANARY))).toBe('false');
  });
});

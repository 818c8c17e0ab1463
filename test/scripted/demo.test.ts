import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findScript, stepsOf } from '../../src/agents/agent/scripted/script.ts';
import type { FarmEvent } from '../../src/api/contract.ts';
import { parseConfig } from '../../src/config/load.ts';
import { emptyStory, hear } from '../../src/faces/demo/event-summary.ts';
import { picture, sentence } from '../../src/faces/demo/progress.ts';
import { prove } from '../../src/faces/demo/proof.ts';
import { holds, report } from '../../src/faces/demo/report.ts';
import { makeRepository } from '../../src/faces/demo/repository.ts';
import { demoTasks } from '../../src/faces/demo/tasks.ts';
import { exec } from '../../src/platform/exec.ts';
import { git } from '../../src/platform/git/run.ts';

const event = (kind: string, more: Partial<FarmEvent> = {}): FarmEvent => ({
  ...{ seq: 1, at: '2026-01-01T00:00:00Z', kind, agent: null, task: null, attempt: null, text: '', data: {} },
  ...more,
});

async function cookbook(tasks = 12) {
  const demo = await makeRepository(demoTasks(tasks, 4));
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(demo.repo.root, path)), { recursive: true });
    await writeFile(join(demo.repo.root, path), text);
  };
  const commit = async (message: string) => {
    await git(demo.repo, ['add', '-A']);
    await git(demo.repo, ['commit', '--quiet', '--message', message], { config: ['user.name=Ada', 'user.email=ada@localhost'] });
  };
  return { demo, write, commit, [Symbol.asyncDispose]: () => rm(demo.folder, { recursive: true, force: true }) };
}

it('gives every task of the board a script that can be read, at every attempt', async () => {
  await using book = await cookbook(15);
  const files = (await git(book.demo.repo, ['ls-files', 'board/tasks'])).split('\n');
  expect(files).toHaveLength(15);
  for (const file of files) {
    const text = await git(book.demo.repo, ['show', `main:${file}`]);
    for (const attempt of [1, 2, 3]) expect(stepsOf(findScript(text)!, attempt).length).toBeGreaterThan(1);
  }
});

it('the tasks, done one after the other by their last attempt, keep the check green', async () => {
  await using book = await cookbook();
  const program = new URL('../../src/agents/agent/scripted/main.ts', import.meta.url).pathname;
  for (const task of demoTasks(12, 4)) {
    const prompt = join(book.demo.folder, 'prompt');
    await writeFile(prompt, ['```script', ...task.script, '```'].join('\n'));
    const env = { PATH: process.env['PATH']!, FURROW_TASK: String(task.id), FURROW_ATTEMPT: '2', FURROW_PROMPT_FILE: prompt };
    expect(await exec([process.execPath, program], { cwd: book.demo.repo.root, env, timeoutMs: 120_000 })).toMatchObject({
      code: 0,
      stderr: '',
    });
  }
  const proof = await prove(book.demo);
  expect(proof.commits).toHaveLength(13);
  expect(proof.commits.filter(({ green }) => !green)).toEqual([]);
});

it('a task that a person adds has no script: the agent notes it, in a commit that keeps the check green', async () => {
  await using book = await cookbook();
  const program = new URL('../../src/agents/agent/scripted/main.ts', import.meta.url).pathname;
  const prompt = join(book.demo.folder, 'prompt');
  await writeFile(prompt, '# Serve tea on Friday\n');
  const { agents } = parseConfig(await readFile(join(book.demo.repo.root, 'furrow.yaml'), 'utf8'), 'furrow.yaml');
  const env = { PATH: process.env['PATH']!, FURROW_TASK: '13', FURROW_PROMPT_FILE: prompt, ...agents['scripted']!.env };
  expect(await exec([process.execPath, program], { cwd: book.demo.repo.root, env, timeoutMs: 120_000 })).toMatchObject({
    code: 0,
    stderr: '',
  });
  expect(await git(book.demo.repo, ['show', '--format=%s', '--name-only'])).toMatch(/^note task 13\s+notes\/task-13.txt$/);
  expect((await prove(book.demo)).commits.map(({ green }) => green)).toEqual([true, true]);
});

describe('the check of the demo is red for', () => {
  const red = (path: string, text: string) => async () => {
    await using book = await cookbook();
    await book.write(path, text);
    await book.commit('wrong');
    expect((await prove(book.demo)).commits.map(({ green }) => green)).toEqual([true, false]);
  };
  it('a conflict that was committed', red('guests.txt', 'Guests\n<<<<<<< HEAD\n'));
  it('a dish without a recipe', red('menu/monday.txt', 'stew\n'));
  it('a total that is wrong', red('recipes/stew.txt', 'beans 300\nwater 500\ntotal 900\n'));
});

describe('the summary', () => {
  const titles = new Map([
    ['1', 'Invite Ada'],
    ['2', 'Invite Grace'],
  ]);
  const story = emptyStory();
  const green = { commits: [{ sha: 'd'.repeat(40), subject: 'both', green: true }] };
  hear(story, event('attempt.started', { agent: 'calm-otter', task: 'default/2', attempt: 1 }));
  const working = picture(story, titles, '');
  hear(story, event('attempt.ended', { agent: 'calm-otter', task: 'default/2', attempt: 1, data: { outcome: 'crashed' } }));
  hear(story, event('entry.submitted', { agent: 'keen-fox', task: 'default/1', attempt: 1 }));
  hear(story, event('landing.landed', { data: { commit: 'c'.repeat(40), tasks: ['default/1'] } }));
  const half = holds({ story, titles, proof: green, seconds: 1, agents: 2 });
  hear(story, event('entry.submitted', { agent: 'keen-fox', task: 'default/2', attempt: 2 }));
  hear(story, event('landing.landed', { data: { commit: 'd'.repeat(40), tasks: ['default/2'] } }));

  it('tells what landed, what went wrong and how it ended', () => {
    const text = report({ story, titles, proof: green, seconds: 3.21, agents: 2 }).join('\n');
    expect(text).toContain('2 of 2 tasks landed in 3.2 s');
    expect(text).toMatch(/2 {2}Invite Grace {2}keen-fox {2}attempt 2 {2}dddddddd/);
    expect(text).toContain('crash      2 Invite Grace, attempt 1');
    expect(text).toContain('1 of 1 pass');
  });

  it('holds only when all landed and nothing was ever red', () => {
    expect(half).toBe(false);
    expect(holds({ story, titles, proof: green, seconds: 1, agents: 2 })).toBe(true);
    const red = { commits: [{ sha: 'b'.repeat(40), subject: 'first', green: false }, ...green.commits] };
    expect(holds({ story, titles, proof: { commits: [] }, seconds: 1, agents: 2 })).toBe(false);
    expect(holds({ story, titles, proof: red, seconds: 1, agents: 2 })).toBe(false);
  });

  it('shows who is at work while it goes on', () => {
    expect(working[1]).toMatch(/calm-otter +2 Invite Grace/);
    expect(sentence(event('task.handed-back', { task: 'default/2', data: { why: 'check' } }), titles)).toBe(
      '2 Invite Grace is handed back: the check is red',
    );
    expect(sentence(event('intent.opened'), titles)).toBeUndefined();
  });
});

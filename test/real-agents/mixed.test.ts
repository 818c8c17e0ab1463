import { expect, inject, it } from 'vitest';
import { type TestTask, writeBoard } from '../support/board.ts';
import { farm, furrowIn } from '../support/farm.ts';
import { steps } from '../support/model/script.ts';
import { startModel } from '../support/model/server.ts';
import { fsck, replayChecks } from '../support/oracle.ts';
import { KINDS } from './kinds/index.ts';
import type { Kind } from './kinds/kind.ts';
import { entryOf, repoFor, strike } from './scene.ts';

const there = (name: string) => inject('installed').some((one) => one.name === name && one.bin !== null);
const lacking = ['claude', 'codex'].filter((name) => !there(name));
const others = (['opencode', 'gemini'] as const).filter(there);

const TASKS = 12;
const AFTER: Readonly<Record<number, number[]>> = { 5: [1], 6: [1, 2], 9: [5], 12: [6, 9] };

/** Two of each of the pair for every one of the others. */
function kindOf(n: number): Kind {
  const turn = [...(['claude', 'codex', 'claude', 'codex'] as const), ...others];
  return KINDS[turn[n % turn.length]!];
}

/** A task with a file of its own and a line in one that all share: some of them meet there. */
function taskOf(n: number): TestTask {
  const kind = kindOf(n);
  const deeds = [{ commit: `t${n}` }, { run: `echo ${n} >> list-${n % 3}.txt && git add . && git commit -q -m list` }, { say: 'Done.' }];
  return {
    id: n,
    agent: kind.name,
    body: `Add t${n}.txt.\n\n${steps(...deeds.map((deed) => entryOf(deed, kind)))}`,
    ...(AFTER[n] && { depends_on: AFTER[n] }),
  };
}

const title = `a farm of 2 claude and 2 codex${others.map((name) => ` and 1 ${name}`).join('')} lands 12 tasks, and was never red`;

it.skipIf(lacking.length > 0)(lacking.length > 0 ? `${title} SKIPPED: there is no ${lacking.join(' and no ')}` : title, async () => {
  const model = await startModel();
  const kinds = [KINDS.claude, KINDS.codex, ...others.map((name) => KINDS[name])];
  const agents = Object.fromEntries(kinds.map((kind) => [kind.name, { permission: 'act', ...kind.settings(model.url) }]));
  const repo = await repoFor(model, kinds, { config: { agents, queue: { union: ['list-*.txt'] } } });
  const running = farm(repo);
  try {
    const tasks = Array.from({ length: TASKS }, (_, i) => taskOf(i + 1));
    await writeBoard(repo, tasks);
    const first = await repo.git('rev-parse', 'main');
    // Six of them at once, each of up to 0.7 GB, took 100 s on two busy cores.
    const work = await furrowIn(repo, { timeoutMs: 270_000 }, 'work', '--parallel', String(4 + others.length));
    expect(work, work.stderr).toMatchObject({ code: 0 });
    const files = (await repo.git('ls-tree', '--name-only', 'main')).split('\n');
    expect(files.filter((name) => /^t\d+\.txt$/.test(name))).toHaveLength(TASKS);
    const replayed = await replayChecks(repo, 'main', 'sh check.sh', first);
    expect(replayed.commits.length).toBeGreaterThan(0);
    expect(replayed.red).toEqual([]);
    expect(await fsck(repo)).toEqual([]);
    // What an agent used last is read from its transcript after it has ended.
    const counted = async () =>
      ((await running.ask('cost')).tasks as { tokens: number; landed: boolean }[]).filter((task) => task.landed && task.tokens > 0);
    await expect.poll(counted).toHaveLength(TASKS);
  } finally {
    await strike(repo, model, running);
  }
});

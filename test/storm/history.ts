import { setTimeout as pause } from 'node:timers/promises';
import { farm, type TestFarm } from '../support/farm.ts';
import { gitRepo, type TestRepo } from '../support/repo.ts';
import { type Change, chooseChanges } from './history/changes.ts';
import { Checkout, type Commands } from './history/project.ts';
import type { Outcome, StormOptions } from './scenario.ts';

const CHANGES = 30;
/** So many commits are looked at for each change that is wanted: some need others, some were red. */
const DEPTH = 3;

/**
 * Real changes of a real project, with its real test suite: `--from` is a clone of it. All are submitted at once; all must land,
 * each with its author's words, and every first-parent commit must be green in a clone that furrow has never seen.
 */
export async function history(options: StormOptions): Promise<Outcome> {
  if (!options.from) throw new Error('which project? npm run storm -- history --from PATH-OF-A-CLONE');
  await using repo = await gitRepo();
  options.opened(repo);
  await using running = farm(repo);
  const count = options.tasks ?? CHANGES;
  const { start, tip } = await bring(repo, options.from, count * DEPTH);
  const commands = await setUp(repo, running);
  options.say(
    `from ${start.slice(0, 8)}; set-up ${commands.setup.join(' && ') || 'none'}; check ${commands.checks.join(' && ') || 'NONE'}`,
  );
  const alone = await Checkout.make(repo, 'alone', commands);
  const changes = await chooseChanges(repo, alone, await Checkout.make(repo, 'together', commands), {
    start,
    tip,
    count,
    say: options.say,
  });
  const base = await repo.git('rev-parse', 'main');

  const began = performance.now();
  for (const { branch } of changes) await running.ask('submit', branch);
  await emptied(running);
  const seconds = Math.round((performance.now() - began) / 1000);
  const wrong = await notAsWritten(repo, running, changes, base);
  const checks = (await running.events()).filter(({ kind }) => kind === 'check.ended').length;
  const violations = [
    ...(changes.length < count ? [`only ${changes.length} of ${count} changes were found`] : []),
    ...wrong,
    ...(await replay(repo, commands, base)),
  ];
  return { facts: { changes: changes.length, landed: changes.length - wrong.length, checks, seconds, commands }, violations };
}

/** The project's history in a repository of our own, with main some way before its end. */
async function bring(repo: TestRepo, from: string, depth: number): Promise<{ start: string; tip: string }> {
  await repo.git('fetch', '--quiet', from, 'HEAD:refs/heads/real');
  const tip = await repo.git('rev-parse', 'real');
  const commits = (await repo.git('rev-list', '--first-parent', `--max-count=${depth + 1}`, 'real')).split('\n');
  const start = commits.at(-1)!;
  await repo.git('checkout', '--quiet', '-B', 'main', start);
  return { start, tip };
}

async function setUp(repo: TestRepo, running: TestFarm): Promise<Commands> {
  await running.furrow('init', '--yes');
  await repo.write('.git/info/exclude', 'board/\nfurrow.yaml\n.furrow/\n');
  const { worktree, checks } = await running.ask('config');
  return { setup: worktree.setup, checks: checks.map(({ run }: { run: string }) => run) };
}

/** Resolves when nothing is in the queue any more. */
async function emptied(running: TestFarm): Promise<void> {
  while ((await running.ask('status')).queue.depth > 0) await pause(2000);
}

async function replay(repo: TestRepo, commands: Commands, since: string): Promise<string[]> {
  const clone = await Checkout.make(repo, 'replay', commands);
  const red: string[] = [];
  for (const commit of (await repo.git('rev-list', '--reverse', '--first-parent', `${since}..main`)).split('\n').filter(Boolean)) {
    await clone.at(commit);
    const output = await clone.fails();
    if (output !== undefined) red.push(`${commit.slice(0, 8)} landed and is red in a clone: ${output}`);
  }
  return red;
}

/**
 * Changes that did not land, and those that landed with other words than their author's: a change of one commit keeps author,
 * date and message, and trailers are added.
 */
async function notAsWritten(repo: TestRepo, running: TestFarm, changes: readonly Change[], since: string): Promise<string[]> {
  const format = '%an <%ae> %ad%n%B';
  const landed = (await repo.git('log', `--format=${format}%x00`, `${since}..main`)).split('\0').map((text) => text.trim());
  const wrong: string[] = [];
  for (const { branch } of changes) {
    const words = (await repo.git('log', '-1', `--format=${format}`, branch)).trim();
    if (landed.some((text) => text.startsWith(words))) continue;
    const { state, reasons } = await running.ask('why', branch);
    wrong.push(`${branch} is good and did not land as it was written (${state}: ${reasons[0]?.text}): ${words.slice(0, 200)}`);
  }
  return wrong;
}

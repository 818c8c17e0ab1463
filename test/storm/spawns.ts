import { writeBoard } from '../support/board.ts';
import { furrow, furrowIn, parseEvents } from '../support/farm.ts';
import { assertNoLeak } from '../support/processes.ts';
import { gitRepo } from '../support/repo.ts';
import type { Outcome, StormOptions } from './scenario.ts';

interface ListedAgent {
  readonly name: string;
  readonly state: string;
  readonly worktree: string;
}

/** Many agents at once, again and again: each has a worktree of its own, and none fails to come up. */
export async function spawns(options: StormOptions): Promise<Outcome> {
  const [rounds, agents] = [options.rounds ?? 100, options.agents ?? 20];
  await using repo = await gitRepo({
    'README.md': 'spawns\n',
    'furrow.yaml': 'agent: scripted\nagents:\n  scripted: { driver: scripted }\n',
  });
  options.opened(repo);
  await writeBoard(
    repo,
    Array.from({ length: agents }, (_, n) => ({ id: n + 1, title: `Wait ${n + 1}`, script: ['hang'] })),
  );
  await repo.commit('a board');
  const violations: string[] = [];
  for (let n = 0; n < rounds; n++) {
    const work = await furrow(repo, 'work', '--parallel', String(agents), '--detach', '--fresh');
    if (work.code !== 0) violations.push(`round ${n}: furrow work: exit ${work.code}: ${work.stderr.trim()}`);
    violations.push(...(await allWorking(repo, agents)).map((text) => `round ${n}: ${text}`));
    const stop = await furrowIn(repo, { timeoutMs: 60_000 }, 'stop', '--all', '--now');
    if (stop.code !== 0) violations.push(`round ${n}: furrow stop: exit ${stop.code}: ${stop.stderr.trim()}`);
    await assertNoLeak(repo.base).catch((error: Error) => violations.push(`round ${n}: ${error.message}`));
    if (n % 10 === 9) options.say(`${n + 1} rounds`);
  }
  return { facts: { rounds, agents }, violations };
}

/** Waits until every agent has started its task; the event feed says when, so the status is asked only then. */
async function allWorking(repo: Awaited<ReturnType<typeof gitRepo>>, agents: number): Promise<string[]> {
  const until = performance.now() + 60_000;
  let lines: ListedAgent[] = [];
  while (performance.now() < until) {
    lines = ((await furrow(repo, 'status', '--json')).json() as { agents: ListedAgent[] }).agents;
    if (lines.filter(({ state }) => state === 'working').length === agents) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const working = lines.filter(({ state }) => state === 'working');
  if (working.length === agents && new Set(working.map(({ worktree }) => worktree)).size === agents) return [];
  const events = parseEvents((await furrow(repo, 'log', '--json')).stdout).slice(-5);
  return [`${working.length} of ${agents} agents work after 60 s; last events: ${events.map(({ text }) => text).join(' | ')}`];
}

import { dice } from '../../src/agents/agent/scripted/random.ts';
import { furrow } from '../support/farm.ts';
import { assertNoLeak, lives, processesOf } from '../support/processes.ts';
import { gitRepo } from '../support/repo.ts';
import type { Outcome, StormOptions } from './scenario.ts';
import { kindOf } from './victims.ts';

/**
 * Commands that find no daemon start one each; whatever the timing, exactly one lives and serves them all. After a person's stop those that
 * look start none, and those that let the farm go on start one.
 */
export async function daemons(options: StormOptions): Promise<Outcome> {
  const rounds = options.rounds ?? 200;
  const roll = dice(options.seed);
  await using repo = await gitRepo({ 'furrow.yaml': 'check: "true"\n' });
  options.opened(repo);
  const violations: string[] = [];
  const found = () => processesOf(repo.base).filter((seen) => kindOf(seen) === 'daemon');
  let stopped = false;
  for (let n = 0; n < rounds; n++) {
    const both = async (...words: string[]) => {
      const said = await Promise.all([furrow(repo, ...words, '--json'), later(roll() * 30, () => furrow(repo, ...words, '--json'))]);
      for (const { code, stderr } of said) if (code !== 0) violations.push(`round ${n}: exit ${code}: ${stderr.trim()}`);
      return said.filter(({ code }) => code === 0);
    };
    const pids = new Set((await both('status')).map((one) => (one.json() as { farm: { pid: number | null } }).farm.pid));
    if (pids.size > 1) violations.push(`round ${n}: two daemons answered: ${[...pids].join(', ')}`);
    if (stopped && (found().length > 0 || !pids.has(null))) violations.push(`round ${n}: a look at the stopped farm started a daemon`);
    if (stopped) await both('resume');
    // The loser of the race may need a moment to see that it lost.
    const alive = await settled(found);
    if (alive.length !== 1) violations.push(`round ${n}: ${alive.length} daemons live`);
    stopped = roll() < 0.5;
    if (stopped) await furrow(repo, 'stop', '--all', '--now');
    else for (const seen of alive.filter(lives)) process.kill(seen.pid, 'SIGKILL');
    if (n % 20 === 19) options.say(`${n + 1} rounds`);
  }
  await furrow(repo, 'stop', '--all', '--now');
  await assertNoLeak(repo.base).catch((error: Error) => violations.push(error.message));
  return { facts: { rounds }, violations };
}

const later = async <T>(ms: number, act: () => Promise<T>): Promise<T> => {
  await new Promise((resolve) => setTimeout(resolve, ms));
  return act();
};

async function settled<T>(look: () => T[]): Promise<T[]> {
  const until = performance.now() + 2000;
  let found = look();
  while (found.length !== 1 && performance.now() < until) found = await later(20, async () => look());
  return found;
}

import { join } from 'node:path';
import { exec } from '../src/platform/exec.ts';
import { plainEnv, type TestRepo } from '../test/support/repo.ts';
import { type BenchOptions, inTurns, type Row, timed } from './measure.ts';
import { benchRepo, listen, quietTasks, stopAndDiscard, withFarm } from './place.ts';

/**
 * N agents up and at work, against what git and tmux need at least: N `git worktree add`, two at a time, and N windows
 * of two panes through one chained call. Every repetition has a repository of its own and nothing is deleted before
 * the end: on ext4 creating after deleting is 5 to 20 times slower, which would be measured instead.
 */
export async function spawn(options: BenchOptions): Promise<Row[]> {
  const rows: Row[] = [];
  for (const files of options.files ?? [1000, 10_000]) {
    for (const agents of options.agents ?? [1, 10, 20]) {
      const row = await compare(files, agents, options.reps ?? (files > 5000 ? 3 : 5));
      options.say(`${row.what}: raw ${row.raw?.toFixed(0)} ms, furrow ${row.furrow.toFixed(0)} ms`);
      rows.push(row);
    }
  }
  return rows;
}

async function compare(files: number, agents: number, reps: number): Promise<Row> {
  const used: TestRepo[] = [];
  const fresh = async () => {
    const repo = await benchRepo(files, quietTasks(agents));
    used.push(repo);
    return repo;
  };
  try {
    const raw = async () => rawSpawn(await fresh(), agents);
    const times = await inTurns(reps, raw, async () => furrowSpawn(await fresh(), agents));
    return { what: `spawn ${agents} agents, ${files} files`, unit: 'ms', ...times, reps, ...(agents === 20 && { aim: { ratio: 1.3 } }) };
  } finally {
    for (const repo of used) await tmux(repo, ['kill-server']);
    await stopAndDiscard(used);
  }
}

async function rawSpawn(repo: TestRepo, agents: number): Promise<number> {
  return timed(async () => {
    await worktrees(repo, agents);
    await windows(repo, agents);
  });
}

/** From the request to the moment the last agent's attempt has started. */
async function furrowSpawn(repo: TestRepo, agents: number): Promise<number> {
  return withFarm(repo, async (client) => {
    const feed = listen(client);
    return timed(async () => {
      await client.call('work', { parallel: agents });
      await feed.until((events) => events.filter(({ kind }) => kind === 'attempt.started').length >= agents);
    });
  });
}

async function worktrees(repo: TestRepo, count: number): Promise<void> {
  let next = 0;
  const one = async () => {
    while (next < count) {
      const n = next++;
      await repo.git('worktree', 'add', '--quiet', '-b', `raw-${n}`, join(repo.base, `raw-${n}`), 'main');
    }
  };
  await Promise.all([one(), one()]);
}

async function windows(repo: TestRepo, count: number): Promise<void> {
  const pane = (n: number) => ['-c', join(repo.base, `raw-${n}`), 'exec sleep 3600'];
  const words = Array.from({ length: count }, (_, n) => [
    ...(n === 0 ? ['new-session', '-d', '-s', 'raw', '-x', '200', '-y', '50'] : [';', 'new-window', '-d']),
    ...pane(n),
    ';',
    'split-window',
    '-d',
    '-t',
    `raw:${n}`,
    ...pane(n),
  ]).flat();
  const done = await tmux(repo, words);
  if (done.code !== 0) throw new Error(`tmux: ${done.stderr}`);
}

/** A server of this repetition alone, without anybody's configuration. */
function tmux(repo: TestRepo, words: readonly string[]) {
  const argv = ['tmux', '-f', '/dev/null', '-S', join(repo.base, 'raw.sock'), ...words] as const;
  return exec(argv, { cwd: repo.root, env: plainEnv(repo), timeoutMs: 60_000 });
}

import { exec } from '../src/platform/exec.ts';
import { BIN } from '../test/support/farm.ts';
import { plainEnv } from '../test/support/repo.ts';
import { type BenchOptions, inTurns, quantile, type Row, timed } from './measure.ts';
import { benchRepo, quietTasks, stopAndDiscard, withFarm } from './place.ts';

/** Measures a command with the daemon running: `furrow status` against a bare `node -e 0`, and the call by itself. */
export async function cli(options: BenchOptions): Promise<Row[]> {
  const reps = Math.max(options.reps ?? 31, 15);
  const repo = await benchRepo(20, quietTasks(20));
  const rows = await withFarm(repo, async (client): Promise<Row[]> => {
    const run = (...words: string[]) => exec([process.execPath, ...words], { cwd: repo.root, env: plainEnv(repo), timeoutMs: 30_000 });
    await run(BIN, 'status');
    const times = await inTurns(
      reps,
      () => timed(() => run('-e', '0')),
      () => timed(() => run(BIN, 'status')),
    );
    const calls: number[] = [];
    for (let n = 0; n < 500; n++) calls.push(await timed(() => client.call('status', {})));
    return [
      { what: 'furrow status, against node -e 0', unit: 'ms', ...times, reps, aim: { ratio: 1.3 } },
      { what: 'status over the socket, median', unit: 'ms', furrow: quantile(calls, 0.5), reps: calls.length },
      { what: 'status over the socket, p99', unit: 'ms', furrow: quantile(calls, 0.99), reps: calls.length, aim: { value: 1 } },
    ];
  });
  await stopAndDiscard([repo]);
  return rows;
}

import { furrow } from '../test/support/farm.ts';
import { assertNoLeak } from '../test/support/processes.ts';
import { type BenchOptions, quantile, type Row, timed } from './measure.ts';
import { benchRepo, listen, quietTasks, withFarm } from './place.ts';

/** A line every half second and a full screen every five: what a working agent's window shows. */
const PRINTS = `agents:
  quiet: { driver: command, run: "while :; do echo it works, line $((n=n+1)); [ $((n % 10)) = 0 ] && seq 40; sleep 0.5; done" }
`;

const CALLS = 500;

/** Measures a farm of many agents that all print: how soon it answers, and how soon it is stopped. */
export async function many(options: BenchOptions): Promise<Row[]> {
  const rows: Row[] = [];
  for (const agents of options.agents ?? [100]) {
    const repo = await benchRepo(20, quietTasks(agents));
    await repo.write('furrow.yaml', `agent: quiet\ncheck: "true"\n${PRINTS}`);
    await repo.commit('agents that print');
    const calls = await withFarm(repo, async (client) => {
      const feed = listen(client);
      await client.call('work', { parallel: agents });
      await feed.until((events) => events.filter(({ kind }) => kind === 'attempt.started').length >= agents);
      const times: number[] = [];
      for (let n = 0; n < CALLS; n++) times.push(await timed(() => client.call('status', {})));
      return times;
    });
    const stop = await timed(async () => {
      const done = await furrow(repo, 'stop', '--all');
      if (done.code !== 0) throw new Error(`furrow stop --all: exit ${done.code}\n${done.stderr}`);
    });
    await assertNoLeak(repo.base);
    await repo[Symbol.asyncDispose]();
    const row = (q: number, aim?: number): Row => ({
      what: `status, ${agents} agents that print, p${q * 100}`,
      unit: 'ms',
      furrow: quantile(calls, q),
      reps: CALLS,
      ...(aim !== undefined && { aim: { value: aim } }),
    });
    rows.push(row(0.5), row(0.99, 20), {
      what: `furrow stop --all, ${agents} agents`,
      unit: 'ms',
      furrow: stop,
      reps: 1,
      aim: { value: 5000 },
    });
  }
  return rows;
}

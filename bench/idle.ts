import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { kindOf } from '../test/storm/victims.ts';
import { processesOf, type Seen } from '../test/support/processes.ts';
import type { BenchOptions, Row } from './measure.ts';
import { benchRepo, listen, quietTasks, stopAndDiscard, withFarm } from './place.ts';

const WINDOW_MS = 20_000;

/** Measures a farm whose agents are silent: processor, memory, and processes started. */
export async function idle(options: BenchOptions): Promise<Row[]> {
  const rows: Row[] = [];
  for (const agents of options.agents ?? [20]) {
    const repo = await benchRepo(20, quietTasks(agents));
    await withFarm(repo, async (client) => {
      const feed = listen(client);
      await client.call('work', { parallel: agents });
      await feed.until((events) => events.filter(({ kind }) => kind === 'attempt.started').length >= agents);
    });
    // The start is over when nothing happens any more; two seconds is the longest back-off of the loop's timers seen here.
    // The start is over when nothing happens any more: the radar looks at a worktree for the first time 5 s after its agent began.
    await sleep(8000);
    const farm = processesOf(repo.base).filter((seen) => ['daemon', 'tmux'].includes(kindOf(seen) ?? ''));
    const before = farm.map(usage);
    await sleep(WINDOW_MS);
    const after = farm.map(usage);
    const grown = (field: keyof Usage) => after.reduce((sum, now, i) => sum + now[field] - before[i]![field], 0);
    const memory = (kind: string) => farm.filter((seen) => kindOf(seen) === kind).reduce((sum, seen) => sum + rss(seen), 0);
    rows.push(
      {
        what: `idle, ${agents} agents: daemon + tmux`,
        unit: 'CPU ms/s',
        furrow: grown('cpuMs') / (WINDOW_MS / 1000),
        reps: 1,
        aim: { value: agents > 20 ? 10 : 5 },
      },
      // A child that was waited for adds the page faults it had to its parent's count; none means that nothing was forked.
      {
        what: `idle, ${agents} agents: forks (page faults of ended children)`,
        unit: 'count',
        furrow: grown('childFaults'),
        reps: 1,
        aim: { value: 0 },
      },
      {
        what: `memory, ${agents} agents: daemon`,
        unit: 'MB',
        furrow: memory('daemon'),
        reps: 1,
        aim: { value: 80 + 2 * Math.max(0, agents - 20) },
      },
      { what: `memory, ${agents} agents: tmux`, unit: 'MB', furrow: memory('tmux'), reps: 1, aim: { value: 1.2 * 2 * agents } },
    );
    await stopAndDiscard([repo]);
  }
  return rows;
}

interface Usage {
  readonly cpuMs: number;
  readonly childFaults: number;
}

/** Nanoseconds on a processor, of all threads: the ticks of /proc/pid/stat are too coarse for an idle process. */
export function usage({ pid }: Seen): Usage {
  const threads = readdirSync(`/proc/${pid}/task`);
  const ns = threads.reduce((sum, id) => sum + Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ')[0]), 0);
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return { cpuMs: ns / 1e6, childFaults: Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[8]) };
}

function rss({ pid }: Seen): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

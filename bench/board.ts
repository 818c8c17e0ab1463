import { kindOf } from '../test/storm/victims.ts';
import { writeBoard } from '../test/support/board.ts';
import { processesOf } from '../test/support/processes.ts';
import { usage } from './idle.ts';
import { type BenchOptions, median, type Row } from './measure.ts';
import { benchRepo, listen, stopAndDiscard, withFarm } from './place.ts';

/** The first landings are left out: the daemon's code is still being compiled then. */
const WARM_UP = 8;
const MEASURED = 24;

/** Processor time of the daemon for one landed task, with a small board and with a large one (`--files` task files), in turns. Two agents, all tasks ready. */
export async function board(options: BenchOptions): Promise<Row[]> {
  const reps = options.reps ?? 3;
  const sizes = options.files ?? [50, 5000];
  const times = new Map<number, number[]>(sizes.map((size) => [size, []]));
  for (let rep = 0; rep < reps; rep++) {
    for (const size of rep % 2 === 0 ? sizes : sizes.toReversed()) {
      const ms = await perLanding(size);
      times.get(size)!.push(ms);
      options.say(`${size} tasks: ${ms.toFixed(1)} CPU ms a landed task`);
    }
  }
  const [small, large] = [sizes[0]!, sizes.at(-1)!];
  const what = `a landed task, daemon alone, ${large} tasks on the board against ${small}`;
  return [{ what, unit: 'CPU ms', raw: median(times.get(small)!), furrow: median(times.get(large)!), reps, aim: { ratio: 1.1 } }];
}

async function perLanding(size: number): Promise<number> {
  const tasks = Array.from({ length: size }, (_, n) => ({
    id: n + 1,
    title: `Task ${n + 1}`,
    agent: 'scripted',
    script: [`write done/${n + 1}.txt done`, `commit task ${n + 1}`],
  }));
  const repo = await benchRepo(100, []);
  // Ignored by git: measured is the board, not a repository with 5,000 files more.
  await repo.write('.git/info/exclude', 'board/\n');
  await writeBoard(repo, tasks);
  const ms = await withFarm(repo, async (client) => {
    const feed = listen(client);
    const landed = () =>
      feed.events.reduce((sum, { kind, data }) => sum + (kind === 'landing.landed' ? (data['tasks'] as string[]).length : 0), 0);
    const daemon = processesOf(repo.base).find((seen) => kindOf(seen) === 'daemon')!;
    const at = async (count: number) => {
      await feed.until(() => landed() >= count);
      return { cpu: usage(daemon).cpuMs, landed: landed() };
    };
    await client.call('work', { parallel: 2, agent: 'scripted' });
    const before = await at(WARM_UP);
    const after = await at(WARM_UP + MEASURED);
    return (after.cpu - before.cpu) / (after.landed - before.landed);
  });
  await stopAndDiscard([repo]);
  return ms;
}

import type { FarmEvent } from '../src/api/contract.ts';
import { type BenchOptions, quantile, type Row } from './measure.ts';
import { benchRepo, listen, stopAndDiscard, withFarm } from './place.ts';

/** A chain of tasks, each waiting for the one before: how long from a landing to the start of what waited for it. */
export async function dispatch(options: BenchOptions): Promise<Row[]> {
  const length = Math.max(options.reps ?? 20, 5);
  const repo = await benchRepo(
    100,
    Array.from({ length }, (_, n) => ({
      id: n + 1,
      title: `Link ${n + 1}`,
      agent: 'scripted',
      ...(n > 0 && { depends_on: [n] }),
      script: [`write chain/${n + 1}.txt link`, `commit link ${n + 1}`],
    })),
  );
  const events = await withFarm(repo, async (client) => {
    const feed = listen(client);
    const { phase } = await client.call('work', { parallel: 2, agent: 'scripted' });
    await client.call('settled', { phase });
    await feed.until((heard) => heard.some(({ kind }) => kind === 'work.settled'));
    return feed.events;
  });
  await stopAndDiscard([repo]);
  const row = (what: string, values: readonly number[], q: number): Row => ({
    what,
    unit: 'ms',
    furrow: quantile(values, q),
    reps: values.length,
  });
  const starts = between(events, 'landing.landed', 'attempt.started', (task) => String(Number(task) + 1));
  const landings = between(events, 'entry.submitted', 'landing.landed', (task) => task);
  return [
    row('landing to the start of its dependent, median', starts, 0.5),
    row('landing to the start of its dependent, p95', starts, 0.95),
    row('submitted to landed with an instant check, median', landings, 0.5),
  ];
}

/** Times between an event of one task and another event of the task that follows from it. */
function between(events: readonly FarmEvent[], from: string, to: string, next: (task: string) => string): number[] {
  const times = (kind: string) => {
    const found = new Map<string, number>();
    for (const event of events)
      if (event.kind === kind) for (const task of tasksOf(event)) found.set(task, found.get(task) ?? Date.parse(event.at));
    return found;
  };
  const ends = times(to);
  return [...times(from)].flatMap(([task, at]) => {
    const end = ends.get(next(task));
    return end === undefined ? [] : [end - at];
  });
}

function tasksOf(event: FarmEvent): string[] {
  const refs = (event.data['tasks'] as string[] | undefined) ?? [event.task ?? ''];
  return refs.map((ref) => ref.slice(ref.lastIndexOf('/') + 1));
}

import { endsOf, readQueue } from '../test/storm/queue-oracle.ts';
import { type End, isDrained } from '../test/storm/queue-truth.ts';
import type { Workload } from '../test/storm/queue-workload.ts';
import { furrow } from '../test/support/farm.ts';
import { assertNoLeak } from '../test/support/processes.ts';
import { listen, withFarm } from './place.ts';

/** Submits everything to a paused queue by the command line, lets it go, and waits until nothing moves. Milliseconds, by the farm's own clock. */
export async function throughDaemon({ repo, changes }: Workload): Promise<{ ms: number; ends: Map<number, End> }> {
  await must(repo, 'queue', 'pause');
  for (const { id, branch, after } of changes)
    await must(repo, 'submit', branch, '--task', String(id), ...(after.length > 0 ? ['--after', after.join(',')] : []));
  const ms = await withFarm(repo, async (client) => {
    const feed = listen(client);
    await client.call('pauseQueue', { paused: false });
    // Each end is an event; whether it was the last one, only the queue can say.
    for (let seen = 0; !isDrained(changes, endsOf(await client.call('queue', {}))); seen = feed.events.length) {
      await feed.until((events) => events.length > seen);
    }
    const at = (kinds: readonly string[]) => feed.events.filter(({ kind }) => kinds.includes(kind)).map((event) => Date.parse(event.at));
    return Math.max(...at(['landing.landed', 'task.handed-back'])) - Math.max(...at(['queue.resumed']));
  });
  const ends = endsOf(await readQueue(repo));
  await must(repo, 'stop', '--all', '--now');
  await assertNoLeak(repo.base);
  return { ms, ends };
}

async function must(repo: Workload['repo'], ...words: string[]): Promise<void> {
  const said = await furrow(repo, ...words);
  if (said.code !== 0) throw new Error(`furrow ${words.join(' ')}: exit ${said.code}: ${said.stderr}`);
}

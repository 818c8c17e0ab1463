import type { Item } from '../../src/api/contract.ts';
import { withFarm } from '../place.ts';
import type { Talkers } from './talkers.ts';

/** The time of each line of one agent from its print to a client at the socket: all of the way to the page but the browser. */
export function socketDelays<T>({ repo }: Talkers, agent: string, during: () => Promise<T>): Promise<[T, number[]]> {
  const delays: number[] = [];
  let newest = Number.POSITIVE_INFINITY;
  const take = (item: Item<'screen'>) => {
    const text = 'data' in item ? item.data : 'reset' in item ? item.reset : '';
    const times = [...text.matchAll(/printed at (\d+\.\d+)/g)].map(([, at]) => Number(at) * 1000);
    const now = Date.now();
    // Lines that were there at the beginning do not count.
    delays.push(...times.filter((at) => at > newest).map((at) => now - at));
    if (times.length > 0) newest = Math.max(...times);
  };
  return withFarm(repo, async (client) => {
    client.stream('screen', { agent, lines: 0 }, take).catch(() => {});
    return [await during(), delays];
  });
}

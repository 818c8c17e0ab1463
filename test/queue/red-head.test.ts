import { describe, expect, it } from 'vitest';
import { Bench, entry } from './bench.ts';

/** The head is red, and so is everything on it. Plans until the queue halts; answers how many stacks were checked until then. */
function stacksUntilHalt(happens: (bench: Bench, round: number) => void, answers: 'oldest' | 'newest' = 'oldest'): number {
  const bench = new Bench(
    Array.from({ length: 60 }, (_, at) => entry(at + 1)),
    { slots: 2, batch: 4, retries: 0 },
  );
  bench.headTree = 'base+red';
  let stacks = 0;
  for (let round = 1; round <= 60; round++) {
    if (bench.plan().halted !== undefined) return stacks;
    happens(bench, round);
    const run = bench.running.at(answers === 'oldest' ? 0 : -1);
    if (!run) continue;
    if (/\+\d/.test(run.tree)) stacks++;
    bench.ran(run, 'fail');
  }
  return Number.POSITIVE_INFINITY;
}

describe('a head that is red is asked after a few red stacks, not after all of them', () => {
  it('when nothing else happens', () => expect(stacksUntilHalt(() => {})).toBeLessThanOrEqual(8));

  it.each([1, 2, 3])('when somebody commits to the target with every check, or every second or third: %i', (often) => {
    const commits = (bench: Bench, round: number) => {
      if (round % often > 0) return;
      bench.userCommits(`u${round}`);
      bench.plan();
    };
    expect(stacksUntilHalt(commits)).toBeLessThanOrEqual(8);
  });

  it('when the daemon is killed after every answer', () => {
    const killed = (bench: Bench, round: number) => {
      if (round % 2 > 0) return;
      [bench.running, bench.stacked] = [[], new Map()];
    };
    expect(stacksUntilHalt(killed)).toBeLessThanOrEqual(8);
  });

  it('when the front of the chain takes long', () => expect(stacksUntilHalt(() => {}, 'newest')).toBeLessThanOrEqual(8));

  it('when entries come in that go before all others', () => {
    const comes = (bench: Bench, round: number) => bench.entries.push(entry(100 + round, { priority: 5 }));
    expect(stacksUntilHalt(comes, 'newest')).toBeLessThanOrEqual(8);
  });

  it('and a head that has passed is not asked, whatever is red on it', () => {
    const ids = Array.from({ length: 40 }, (_, at) => at + 1);
    const bench = new Bench(ids.map((id) => entry(id)));
    bench.answer([], 'pass');
    const stacks = bench.plan().checks.map((one) => one.chain);
    for (const chain of stacks.slice(1)) bench.answer(chain, 'fail');
    expect(bench.plan().checks.map((one) => one.purpose)).toEqual(['chain', 'chain', 'chain']);
  });
});

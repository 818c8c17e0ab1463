import { describe, expect, it } from 'vitest';
import { type FarmMutant, farmMutants } from './mutants.ts';
import { cutText, cutTo, readCut, shrink, whole } from './shrink.ts';
import { play } from './simulate.ts';
import { playMutant } from './storm.ts';
import { morning, type Story } from './story.ts';
import { MINUTE } from './time.ts';

const small = (seed: string): Story => ({ ...morning(seed, 6), review: false });

const mutant = (name: string): FarmMutant => farmMutants.find((one) => one.name === name)!;

describe('a simulated farm', () => {
  it('brings everything to its end, whatever happens to it, and the same seed is the same story', { timeout: 120_000 }, async () => {
    const [first, again] = [await play(small('vitest/1')), await play(small('vitest/1'))];
    expect(first.violation?.message).toBeUndefined();
    expect(first.landed).toBeGreaterThan(0);
    expect(again).toEqual(first);
  });

  it('goes on after a crash at any commit of the store', { timeout: 120_000 }, async () => {
    const deeds = Array.from({ length: 24 }, (_, n) => ({ at: (2 + 3 * n) * MINUTE, do: 'crash-at-commit' as const, n: 5 * n }));
    const played = await play({ ...small('vitest/2'), deeds });
    expect(played.violation?.message).toBeUndefined();
    expect(played.crashes).toBeGreaterThan(4);
  });

  it('is cut to the part that breaks a rule, which is named by a text', { timeout: 120_000 }, async () => {
    // Nobody ever says yes, so the one task that waits for it is stuck.
    const story = {
      ...small('vitest/3'),
      trouble: 0,
      tasks: small('vitest/3').tasks.map((task, at) => ({ ...task, approve: at === 2, fate: undefined })),
    };
    const deaf = { ...story, answers: false, deeds: story.deeds.filter(({ do: what }) => what !== 'approve') };
    const { cut, played } = await shrink(deaf, await play(deaf), 8);
    expect(played.violation?.rule).toBe('nothing is stuck');
    expect(cut.deeds).toEqual([]);
    expect(cut.tasks.length).toBeLessThan(whole(story).tasks.length);
    expect(cut.tasks).toContain(2);
    expect(readCut(cutText(cut))).toEqual(cut);
    expect(cutTo(story, cut).tasks).toHaveLength(cut.tasks.length);
  });

  // The others are played by the storm: each needs a process of its own.
  it('notices a product that gives the same token twice', { timeout: 300_000 }, async () => {
    expect(await playMutant(mutant('token not raised'), 2)).toMatchObject({ caught: true });
  });
});

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { ALL } from '../support/all.ts';
import { type FarmMutant, farmMutants } from './mutants.ts';
import { cutText, cutTo, readCut, shrink, whole } from './shrink.ts';
import { play } from './simulate.ts';
import { playMutant } from './storm.ts';
import { drawStory, morning, type Story } from './story.ts';
import { MINUTE } from './time.ts';

const small = (seed: string): Story => ({ ...morning(seed, 6), review: false });

/** Found in the first morning. */
const SAMPLE = ALL
  ? ['token not raised', 'lease kept', 'limit ignored', 'landing not stored', 'report applied twice', 'nothing recovered']
  : ['token not raised'];

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

  // Words that no daemon lived to hear, and the work of an agent that had started on a landing which was queued again.
  it.runIf(ALL).each([
    ['b/19', 'tasks:2,3,6;deeds:0,3,21,22'],
    ['7/1', 'tasks:10,11,16,18,19,20;deeds:'],
  ])('plays to its end what once broke a rule: %s', { timeout: 120_000 }, async (seed, cut) => {
    const played = await play(cutTo(drawStory(seed), readCut(cut)));
    expect(played.violation?.message).toBeUndefined();
  });

  it('has mutants that all change a place of the product, and break a rule each', () => {
    const source = (file: string) => readFileSync(fileURLToPath(new URL(`../../${file}`, import.meta.url)), 'utf8');
    const lost = farmMutants.flatMap(({ name, edits }) =>
      edits.flatMap(({ file, find }) => (source(file).includes(find) ? [] : [`${name}: ${find}`])),
    );
    expect(lost).toEqual([]);
    expect(farmMutants.length).toBeGreaterThan(20);
  });

  // Each needs a process of its own, and the storm plays them all: `npm run storm -- farm-sim --mutants`.
  it.each(SAMPLE)('notices a product with this fault: %s', { timeout: 300_000 }, async (name) => {
    expect(await playMutant(mutant(name), 2)).toMatchObject({ caught: true });
  });
});

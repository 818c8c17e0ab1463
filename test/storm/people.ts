import { buildMutant, type Mutant, mutants } from './people/mutants.ts';
import { openings } from './people/openings.ts';
import { type Played, playOpening, roam } from './people/run.ts';
import type { Outcome, StormOptions } from './scenario.ts';

/** A mutant that no opening shows gets this much of the random part. */
const MUTANT_MINUTES = 2;

/**
 * A person at work in the checkout, agents beside them, and `kill -9`: what lands is right, and nothing of the person's is disturbed.
 * First the openings, each in a small repository of its own, then whatever the seed says for so many minutes.
 */
export async function people(options: StormOptions): Promise<Outcome> {
  if (options.mutant !== undefined) return hunt(options);
  const played = await play(options, undefined);
  return { facts: played.facts, violations: played.violations.map(({ promise, text }) => `${promise}: ${text}`) };
}

/** Until the first violation, or to the end. */
async function play(options: StormOptions, bin: string | undefined, first?: string): Promise<Played> {
  const wanted = openings.filter(({ name }) => options.only === undefined || options.only === name);
  for (const opening of wanted.toSorted((a, b) => Number(b.name === first) - Number(a.name === first))) {
    const played = await playOpening(opening, options, bin);
    if (played.violations.length > 0 || opening.name === options.only) return played;
  }
  return roam(options, bin);
}

/** The storm on products with one broken part each: it must notice every one of them. */
async function hunt(options: StormOptions): Promise<Outcome> {
  const wanted = mutants.filter(({ name }) => options.mutant === 'all' || options.mutant === name);
  if (wanted.length === 0) throw new Error(`there is no mutant ${options.mutant}; there are ${mutants.map(({ name }) => name).join(', ')}`);
  const caught: Record<string, string> = {};
  const missed: string[] = [];
  for (const mutant of wanted) {
    const { title, violations } = await playMutant(mutant, options);
    const right = violations.find(({ promise }) => promise === mutant.breaks);
    if (right) {
      caught[mutant.name] = right.promise;
      options.say(`mutant ${mutant.name}: caught in ${title}: ${right.promise}: ${right.text}`);
    } else
      missed.push(`mutant ${mutant.name} was not caught; it should break "${mutant.breaks}", and did ${violations[0]?.text ?? 'nothing'}`);
  }
  return { facts: { caught }, violations: missed };
}

async function playMutant(mutant: Mutant, options: StormOptions): Promise<Played> {
  await using product = await buildMutant(mutant);
  // What a broken product does in detail is of interest only when one is looked at alone.
  const quiet = options.mutant === 'all' ? { ...options, say: () => {} } : options;
  return await play({ ...quiet, minutes: options.minutes ?? MUTANT_MINUTES }, product.bin, mutant.opening);
}

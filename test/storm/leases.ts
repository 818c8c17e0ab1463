import { PRODUCT } from '../agents/lease/model.ts';
import { MUTANTS } from '../agents/lease/mutants.ts';
import { type Counts, play } from '../agents/lease/rules.ts';
import type { Outcome, StormOptions } from './scenario.ts';

/** Histories for one mutant. */
const FOR_MUTANTS = 3000;
const MOST_SHOWN = 10;

/** Histories of leases on paths and resources, played on the planner (`rounds`, default 100,000): no two holders of what one may have. */
export async function leases(options: Pick<StormOptions, 'seed' | 'rounds' | 'mutant' | 'say'>): Promise<Outcome> {
  if (options.mutant) return playMutants(options, options.mutant);
  const rounds = options.rounds ?? 100_000;
  const counts: Counts = { turns: 0, grants: 0, waits: 0, circles: 0, deaths: 0, works: 0 };
  const violations: string[] = [];
  for (let n = 0; n < rounds && violations.length < MOST_SHOWN; n++) {
    const broken = play(`${options.seed}/${n}`, PRODUCT, counts);
    if (broken) violations.push(broken);
    if (n > 0 && n % 100_000 === 0) options.say(`${n} of ${rounds} histories, ${counts.grants} grants, ${counts.circles} circles`);
  }
  return { facts: { histories: rounds, ...counts }, violations };
}

/** A storm that does not notice a broken product proves nothing. */
async function playMutants({ seed, say }: Pick<StormOptions, 'seed' | 'say'>, which: string): Promise<Outcome> {
  const wanted = Object.entries(MUTANTS).filter(([name]) => which === 'all' || name === which);
  const violations = wanted.length > 0 ? [] : [`there is no mutant ${which}: ${Object.keys(MUTANTS).join(', ')}`];
  for (const [name, product] of wanted) {
    let found: string | undefined;
    for (let n = 0; n < FOR_MUTANTS && !found; n++) found = play(`${seed}/${n}`, product);
    say(found ? `found: ${name}, by ${found}` : `NOT found: ${name}`);
    if (!found) violations.push(`nothing shows that the product is broken: ${name}`);
  }
  return { facts: { mutants: wanted.length, found: wanted.length - violations.length }, violations };
}

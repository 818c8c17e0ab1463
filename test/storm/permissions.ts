import { availableParallelism } from 'node:os';
import type { Found, Task } from './permissions/inside.ts';
import { missing, ROOT, runInJail } from './permissions/jail.ts';
import { lines } from './permissions/lines.ts';
import { type Mutant, mutants, productOf } from './permissions/mutants.ts';
import type { World } from './permissions/world.ts';
import type { Outcome, StormOptions } from './scenario.ts';

const CHUNK = 1000;
/** Most lines run where most agents are: without hooks of the project. */
const WORLDS: readonly World[] = ['plain', 'husky', 'plain', 'plain', 'rewritten', 'plain'];
/** All lines of the corpus, and some that the seed makes of them. */
const FOR_MUTANTS = 220;

/** Command lines that the rules allow are run, in bash and in zsh: what they promise is compared with what happens. */
export async function permissions(options: StormOptions): Promise<Outcome> {
  const without = missing();
  if (without) return { facts: {}, violations: [`the storm needs ${without}`] };
  if (options.mutant) return playMutants(options, options.mutant);
  const { facts, violations } = await judgeAndRun(options.seed, options.lines ?? 30_000, options.say);
  return {
    facts,
    violations: violations.map(({ line, promise, before }) => `${JSON.stringify(line)}: ${promise}; after ${JSON.stringify(before)}`),
  };
}

/** Judges and runs so many lines, each in both shells. */
export async function judgeAndRun(seed: string, count: number, say: (line: string) => void = () => {}) {
  const all = lines(seed, count);
  const tasks = Array.from({ length: Math.ceil(all.length / CHUNK) }, (_, n) => n).flatMap((n) =>
    (['bash', 'zsh'] as const).map(
      (shell): Task => ({ root: ROOT, world: WORLDS[n % WORLDS.length]!, shell, lines: all.slice(n * CHUNK, (n + 1) * CHUNK) }),
    ),
  );
  const found: Found[] = [];
  const work = async () => {
    for (let task = tasks.shift(); task; task = tasks.shift()) {
      found.push(await runInJail(task));
      say(`${found.length} jails, ${sum(found, 'allowed')} lines run, ${tasks.length} jails to go`);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  const [executed, asked, denied] = [sum(found, 'allowed'), sum(found, 'asked') / 2, sum(found, 'denied') / 2];
  return { facts: { generated: count, asked, denied, executed }, violations: found.flatMap((one) => one.violations) };
}

const sum = (found: readonly Found[], what: 'allowed' | 'asked' | 'denied') => found.reduce((total, one) => total + one[what], 0);

/** Each rule is taken out once: a storm that does not notice proves nothing. */
async function playMutants({ seed, say }: StormOptions, which: string): Promise<Outcome> {
  const wanted = mutants.filter(({ name }) => which === 'all' || name === which);
  const violations = wanted.length > 0 ? [] : [`there is no mutant ${which}: ${mutants.map(({ name }) => name).join(', ')}`];
  const found: Record<string, string> = {};
  for (const mutant of wanted) {
    const by = await foundBy(mutant, seed);
    say(by ? `found: ${mutant.name}, by ${by}` : `NOT found: ${mutant.name}`);
    if (by) found[mutant.name] = by;
    else violations.push(`nothing shows that this rule was taken out: ${mutant.name}`);
  }
  return { facts: { mutants: wanted.length, found: Object.keys(found).length }, violations };
}

async function foundBy(mutant: Mutant, seed: string): Promise<string | undefined> {
  const { root, gone } = await productOf(mutant);
  try {
    const play = (shell: Task['shell']) => runInJail({ root, world: mutant.world, shell, lines: lines(seed, FOR_MUTANTS) });
    for (const shell of ['bash', 'zsh'] as const) {
      const [first] = (await play(shell)).violations;
      if (first) return `${JSON.stringify(first.line)} in ${shell} (${first.promise})`;
    }
    return undefined;
  } finally {
    await gone();
  }
}

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Outcome, StormOptions } from '../storm/scenario.ts';
import { type FarmMutant, farmMutants } from './mutants.ts';
import { cutText, cutTo, readCut, shrink } from './shrink.ts';
import { play } from './simulate.ts';
import { drawStory } from './story.ts';

const DAYS = 20;
/** Plays to shorten one story: some minutes. */
const TRIES = 60;
/** Lines of a story that are shown: its end. */
const SHOWN = 40;
/** Seeds in which a broken product must be found. */
const SEEDS = 20;

/** Whole farms in virtual time, a day for each seed; a broken rule is told as the shortest story that shows it. */
export async function farmSimStorm(options: Pick<StormOptions, 'seed' | 'days' | 'only' | 'mutant' | 'say'>): Promise<Outcome> {
  if (options.mutant !== undefined) return mutantStorm(options.mutant, options.say);
  const totals = { days: 0, tasks: 0, landed: 0, crashes: 0, looks: 0 };
  const hashes: string[] = [];
  const violations: string[] = [];
  const cpu = process.cpuUsage();
  // With a cut, or a number behind it, the seed is that of one day.
  const one = options.only !== undefined || /\/\d+$/.test(options.seed);
  for (let n = 0; n < (one ? 1 : (options.days ?? DAYS)); n++) {
    const drawn = drawStory(one ? options.seed : `${options.seed}/${n}`);
    const story = options.only === undefined ? drawn : cutTo(drawn, readCut(options.only));
    const played = await play(story);
    totals.days++;
    totals.tasks += story.tasks.length;
    totals.landed += played.landed;
    totals.crashes += played.crashes;
    totals.looks += played.ticks;
    hashes.push(played.hash);
    if (n % 10 === 9) options.say(`${n + 1} farm-days`);
    if (!played.violation) continue;
    const short = options.only === undefined ? await shrink(story, played, TRIES) : undefined;
    const { told, violation } = short?.played ?? played;
    for (const line of told.slice(-SHOWN)) options.say(`  ${line}`);
    const again = short ? `npm run storm -- farm-sim --seed ${story.seed} --only '${cutText(short.cut)}'` : 'the story above';
    violations.push(`${violation?.message} (${again})`);
  }
  const { user, system } = process.cpuUsage(cpu);
  const seconds = (user + system) / 1e6;
  return { facts: { ...totals, days_an_hour: Math.round((totals.days * 3600) / seconds), hashes: hashes.slice(0, 10) }, violations };
}

/** Plays the product as it is, and then broken ones, each in a process of its own: every one of those must break its rule. */
async function mutantStorm(named: string, say: (line: string) => void): Promise<Outcome> {
  const chosen = named === 'all' ? farmMutants : farmMutants.filter(({ name }) => name === named);
  const violations: string[] = chosen.length === 0 ? [`no mutant is named ${named}`] : [];
  const whole = await playMornings(SEEDS);
  say(`the product as it is: ${whole}`);
  // Where the product itself breaks a rule, a mutant that breaks one proves nothing.
  if (!whole.startsWith('not in')) violations.push(`the product as it is: ${whole}`);
  const found: Record<string, string> = {};
  const left = chosen.values();
  const lane = async () => {
    for (const mutant of left) {
      const { caught, said } = await playMutant(mutant, SEEDS);
      say(`${mutant.name}: ${said}`);
      if (caught) found[mutant.name] = said;
      else violations.push(`${mutant.name} was not noticed by its rule (${mutant.breaks}): ${said}`);
    }
  };
  await Promise.all([lane(), lane()]);
  return { facts: { mutants: chosen.length, caught: Object.keys(found).length, found }, violations };
}

/** True when the rule that it breaks, and not a crash of the simulator, tells the broken product from ours. */
export async function playMutant({ name, breaks }: FarmMutant, seeds: number): Promise<{ caught: boolean; said: string }> {
  const said = await playMornings(seeds, name);
  return { caught: said.includes(`: ${breaks}: `), said };
}

/** A play that goes on for longer never ends: the slowest that was seen took a minute of processor time on a machine with a load of 15. */
const MOST_MS = 15 * 60_000;

/** Plays mornings in a process of its own, and answers its last line. */
async function playMornings(seeds: number, mutant?: string): Promise<string> {
  const path = (file: string) => fileURLToPath(new URL(file, import.meta.url));
  const args = ['--no-warnings', ...(mutant === undefined ? [] : ['--import', path('mutate.ts')]), path('play-mutant.ts'), String(seeds)];
  const env = { ...process.env, FARM_MUTANT: mutant };
  const { stdout, stderr } = await new Promise<{ stdout: string; stderr: string }>((resolve) =>
    execFile(process.execPath, args, { encoding: 'utf8', env, timeout: MOST_MS }, (error, stdout, stderr) =>
      resolve({ stdout, stderr: error?.killed ? `it did not end in ${MOST_MS / 60_000} minutes` : stderr }),
    ),
  );
  return stdout.trim().split('\n').at(-1) || stderr.trim().split('\n').slice(0, 6).join(' ');
}

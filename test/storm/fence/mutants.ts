import { mkdtemp, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { limiter } from '../../../src/platform/limit.ts';
import { runEscapes } from '../../../src/repo/escapes/suite.ts';
import { isSilent, likely, type Mutant, mutantsOf, openedMutants } from './mutant.ts';

interface Tally {
  readonly all: number;
  readonly silent: number;
  readonly noticed: number;
  readonly unnoticed: readonly string[];
  /** Those that the time did not suffice for. */
  readonly left: number;
  readonly seconds: number;
}

/**
 * Breaks the fence of a level in every way, each until the first try that notices it; those that are likely to are tried first.
 * Two at a time, in the home: below `/tmp` nobody sees that the home is shown. Says after each how far it has come.
 */
export async function tryMutants(
  level: 'guard' | 'strict',
  { say, minutes, named }: { say(line: string): void; minutes: number; named: string },
): Promise<Tally> {
  const below = await mkdtemp(join(homedir(), '.furrow-mutants-'));
  const from = performance.now();
  const seconds = () => Math.round((performance.now() - from) / 1000);
  try {
    const all = await allMutants(level, below);
    const whole = await noticer(level, below, { name: '', argv: (argv) => argv });
    if (whole !== undefined) throw new Error(`a whole fence of ${level} is not whole in ${below}: ${whole}`);
    const asked = all.filter((one) => !isSilent(one) && one.name.includes(named));
    const unnoticed: string[] = [];
    let noticed = 0;
    const pair = limiter(2);
    const tries = asked.map((mutant) =>
      pair(async () => {
        if (seconds() > minutes * 60) return;
        const by = await noticer(level, below, mutant);
        if (by === undefined) unnoticed.push(mutant.name);
        else noticed++;
        if (by === undefined) say(`UNNOTICED  ${mutant.name}`);
        say(
          `${level}: ${noticed + unnoticed.length} of ${asked.length} mutants, ${seconds()} s, ${unnoticed.length} unnoticed; ${mutant.name}: ${by ?? '-'}`,
        );
      }),
    );
    await Promise.all(tries);
    const left = asked.length - noticed - unnoticed.length;
    return { all: all.length, silent: all.filter(isSilent).length, noticed, unnoticed, left, seconds: seconds() };
  } finally {
    await rm(below, { recursive: true, force: true });
  }
}

async function allMutants(level: 'guard' | 'strict', below: string): Promise<Mutant[]> {
  let list: Mutant[] = [];
  await runEscapes({
    level,
    below,
    argv: (argv, { own }) => {
      list = mutantsOf(argv, own.slice(0, own.indexOf('/repo.furrow/')));
      return argv;
    },
    only: () => false,
  });
  return [...list, ...openedMutants];
}

/** The name of the first try that is not as it should be in a broken fence. */
async function noticer(level: 'guard' | 'strict', below: string, mutant: Mutant): Promise<string | undefined> {
  const { by } = mutant;
  const { needs, escapes } = await runEscapes({
    ...{ level, below, argv: mutant.argv, untilFirst: true, first: likely(mutant.name) },
    ...(by !== undefined && { only: (name) => name === by }),
  });
  return [...needs, ...escapes].find(({ ok }) => !ok)?.name;
}

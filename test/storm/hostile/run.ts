import { dice } from '../../../src/agents/agent/scripted/random.ts';
import type { Argument, Command } from '../../../src/faces/cli/command.ts';
import { commands } from '../../../src/faces/cli/table.ts';
import { isOnPath } from '../../../src/platform/on-path.ts';
import { furrowIn } from '../../support/farm.ts';
import { assertNoLeak } from '../../support/processes.ts';
import type { Outcome, StormOptions } from '../scenario.ts';
import { Judge } from './judge.ts';
import { hostileRepository, TRAITS, type Trait } from './repository.ts';
import { tracedPrograms } from './traced.ts';

/** `demo` makes a repository of its own and works there; it looks at nothing here. */
const ELSEWHERE = ['demo'];
/** Ends the farm, so it comes last. */
const LAST = ['stop'];
const TIMEOUT_MS = 60_000;

/** Words for what a command wants: names that the repository really has, so that it does not end at the first question. */
const WORDS: Readonly<Record<string, string>> = {
  TASK: '1',
  SUBJECT: '1',
  BRANCH: 'main',
  AGENT: 'evil',
  TITLE: 'a title',
  TEXT: 'text',
  STATUS: 'todo',
  REASON: 'a reason',
  QUESTION: '1',
  ID: '1',
  PATH: '.',
  PHASE: 'default',
  SHELL: 'bash',
};

const wordFor = ({ name, completes }: Argument) => WORDS[name] ?? (Array.isArray(completes) ? String(completes[0]) : '1');

/** Every command of the table, with the words it needs: a new command is tried from its first day. */
export function commandLines(table: readonly Command[] = commands): string[][] {
  const lines = table
    .filter(({ name }) => !ELSEWHERE.includes(name))
    .map((command) => {
      const words = (command.arguments ?? []).filter(({ optional }) => !optional).map(wordFor);
      const options = (command.options ?? [])
        .filter(({ required }) => required)
        .flatMap(({ name, type }) => (type === 'flag' ? [`--${name}`] : [`--${name}`, '1']));
      return [...command.name.split(' '), ...words, ...options];
    });
  return lines.sort((a, b) => Number(LAST.includes(a[0]!)) - Number(LAST.includes(b[0]!)));
}

/** Opens one hostile repository with every command. Nothing of it may be started: nobody has trusted it. */
export async function openHostile(traits: readonly Trait[], lines: readonly string[][] = commandLines()): Promise<Outcome> {
  const { repo, ran } = await hostileRepository(new Set(traits));
  // As if the folder of the repository were on the PATH, which some have; and not trusted, whatever the harness usually does.
  Object.assign(repo.env, { PATH: `${process.env['PATH']}:.`, SECRET_TOKEN: 'canary-of-the-hostile-repository', FURROW_TRUST: '' });
  const judge = new Judge();
  let started: string[] = [];
  try {
    for (const line of lines) {
      const said = await furrowIn(repo, { timeoutMs: TIMEOUT_MS, input: '' }, ...line);
      judge.hear(line.join(' '), said);
      const now = await ran();
      for (const name of now.filter((one) => !started.includes(one))) judge.violations.push(`${line.join(' ')}: started ${name}`);
      started = now;
    }
    await furrowIn(repo, { timeoutMs: TIMEOUT_MS }, 'stop', '--all', '--now');
    for (const name of (await ran()).filter((one) => !started.includes(one))) judge.violations.push(`after all: started ${name}`);
    const left = await assertNoLeak(repo.base).then(
      () => [],
      (error: Error) => [error.message],
    );
    return { facts: { commands: judge.heard }, violations: [...judge.violations, ...left].map((text) => `[${traits.join(' ')}] ${text}`) };
  } finally {
    await repo[Symbol.asyncDispose]();
  }
}

/** The commands that would start most, if any did: tracing takes some seconds for each. */
const TRACED = ['work', 'status', 'submit', 'retry', 'resume', 'take', 'doctor', 'diff', 'list'];

/** The same again in a fresh one, as the kernel saw it. */
async function traceHostile(traits: readonly Trait[]): Promise<string[]> {
  const { repo } = await hostileRepository(new Set(traits));
  Object.assign(repo.env, { FURROW_TRUST: '' });
  try {
    return await tracedPrograms(
      repo,
      commandLines().filter(([name]) => TRACED.includes(name!)),
    );
  } finally {
    await repo[Symbol.asyncDispose]();
  }
}

export async function hostileRepositories({ seed, rounds = 10, say }: StormOptions): Promise<Outcome> {
  const roll = dice(`${seed}/hostile`);
  const violations: string[] = [];
  let heard = 0;
  for (let round = 0; round < rounds; round++) {
    const traits =
      round === 0 ? TRAITS.filter((one) => !['broken', 'tracked', 'linked', 'bomb'].includes(one)) : TRAITS.filter(() => roll() < 0.5);
    const done = await openHostile(traits);
    heard += Number(done.facts['commands']);
    violations.push(...done.violations);
    say(`${round + 1} of ${rounds} repositories (${traits.join(' ')}): ${done.violations.length} violations`);
  }
  const traced = isOnPath('strace', process.env['PATH'] ?? '') ? await traceHostile(['config', 'git', 'board', 'settings']) : undefined;
  violations.push(...(traced ?? []));
  return { facts: { repositories: rounds, commands: heard, traced: traced !== undefined }, violations };
}

import { FurrowError } from '../../platform/error.ts';
import { suggest } from '../../platform/suggest.ts';
import type { Command } from './command.ts';

/** `furrow --repo PATH status` is `furrow status --repo PATH`: splits off the options that stand before the command. */
export function optionsBefore(argv: readonly string[]): { before: readonly string[]; words: readonly string[] } {
  let at = 0;
  while (argv[at]?.startsWith('--repo') || argv[at] === '--json') at += argv[at] === '--repo' ? 2 : 1;
  return { before: argv.slice(0, at), words: argv.slice(at) };
}

/** The command that these words begin with, and the words after its name. The longer name wins: `queue eject` over `queue`. */
export function findCommand(commands: readonly Command[], argv: readonly string[]): { command: Command; rest: readonly string[] } {
  const two = commands.find((command) => command.name === `${argv[0]} ${argv[1]}`);
  if (two) return { command: two, rest: argv.slice(2) };
  const one = commands.find((command) => command.name === argv[0]);
  if (one) return { command: one, rest: argv.slice(1) };
  const meant = meantBy(argv[0] ?? '', commands);
  throw new FurrowError('USAGE', `there is no command "${argv[0]}" in this furrow${meant ? `; did you mean ${meant}?` : ''}`, {
    hint: meant ? `furrow ${meant} --help` : 'furrow --help',
  });
}

/** Names that other programs use for the same command. */
const ALSO: Record<string, string> = {
  ls: 'list',
  new: 'add',
  ps: 'status',
  run: 'work',
  start: 'work',
  top: 'status',
  kill: 'stop',
  quit: 'stop',
};
/** Commands that end or remove something: suggested only for a word that begins like them. */
const ENDS = new Set(['stop', 'clean', 'queue eject']);

/** The command that was probably meant. One that ends or removes something only if the word begins like it. */
function meantBy(word: string, commands: readonly Command[]): string | undefined {
  const names = shown(commands).map((command) => command.name);
  const also = ALSO[word];
  if (also !== undefined && names.includes(also)) return also;
  return suggest(
    word,
    names.filter((name) => !ENDS.has(name) || name[0] === word[0]),
  );
}

export function shown(commands: readonly Command[]): readonly Command[] {
  return commands.filter((command) => !command.hidden);
}

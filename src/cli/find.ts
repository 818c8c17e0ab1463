import { suggest } from '../config/suggest.ts';
import { FurrowError } from '../platform/error.ts';
import type { Command } from './command.ts';

/** The command that these words begin with, and the words after its name. The longer name wins: `queue eject` over `queue`. */
export function findCommand(commands: readonly Command[], argv: readonly string[]): { command: Command; rest: readonly string[] } {
  const two = commands.find((command) => command.name === `${argv[0]} ${argv[1]}`);
  if (two) return { command: two, rest: argv.slice(2) };
  const one = commands.find((command) => command.name === argv[0]);
  if (one) return { command: one, rest: argv.slice(1) };
  const meant = suggest(
    argv[0] ?? '',
    shown(commands).map((command) => command.name),
  );
  throw new FurrowError('USAGE', `there is no command "${argv[0]}" in this furrow${meant ? `; did you mean ${meant}?` : ''}`, {
    hint: meant ? `furrow ${meant} --help` : 'furrow --help',
  });
}

export function shown(commands: readonly Command[]): readonly Command[] {
  return commands.filter((command) => !command.hidden);
}

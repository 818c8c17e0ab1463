import type { FurrowError } from '../../platform/error.ts';
import { clean } from '../../platform/strip-controls.ts';
import { readArguments } from './arguments.ts';
import type { Command } from './command.ts';
import { contextFor } from './context.ts';
import { stderr, write } from './out.ts';

/** Runs one command with its words, and answers its exit code. `help` prints the help of a command; `out` takes what it would print. */
export async function runCommand(
  commands: readonly Command[],
  command: Command,
  argv: readonly string[],
  help: (command: Command) => Promise<number>,
  out?: (text: string) => void,
): Promise<number> {
  const args = readArguments(command, argv);
  if (args.flag('help')) return help(command);
  const context = contextFor(commands, command, args, out);
  try {
    const run = await command.run();
    return (await run(context)) ?? 0;
  } finally {
    context.close();
  }
}

/** The two lines of an error that the user can act on: what is wrong, and what to type next. */
export function tellError(error: FurrowError): void {
  write(stderr, `furrow: ${clean(error.message)}\n`);
  if (error.hint) write(stderr, `  try: ${clean(error.hint)}\n`);
}

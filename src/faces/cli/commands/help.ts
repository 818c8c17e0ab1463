import type { Context } from '../command.ts';
import { findCommand } from '../find.ts';
import { ALL, allCommands, commandHelp, overview } from '../help.ts';

export async function help({ args, commands, print }: Context): Promise<void> {
  const name = args.text('COMMAND');
  if (name === undefined) print(overview(commands).trimEnd());
  else if (name === ALL) print(allCommands(commands).trimEnd());
  else print(commandHelp(findCommand(commands, name.split(' ')).command, commands).trimEnd());
}

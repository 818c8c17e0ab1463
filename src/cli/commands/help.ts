import type { Context } from '../command.ts';
import { findCommand } from '../find.ts';
import { commandHelp, overview } from '../help.ts';

export async function help(context: Context): Promise<void> {
  const name = context.args.text('COMMAND');
  context.print(
    (name === undefined ? overview(context.commands) : commandHelp(findCommand(context.commands, name.split(' ')).command)).trimEnd(),
  );
}

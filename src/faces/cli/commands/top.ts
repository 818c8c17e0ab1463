import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { connect } from '../../../api/client.ts';
import { FurrowError } from '../../../platform/error.ts';
import { packageFile } from '../../../platform/program.ts';
import type { TopDoor, TopProgram } from '../../top/command-line.ts';
import type { Context } from '../command.ts';
import { findCommand } from '../find.ts';
import { readKey } from '../keys.ts';
import { isTerminal, stderr, stdout, write } from '../out.ts';
import { pageAlways } from '../pager.ts';
import { runCommand } from '../run-command.ts';

/** Loads the program only when it is called: no other command needs it. */
export async function top(context: Context): Promise<number> {
  const [input, output] = [0, stdout].map(isTerminal);
  if (!input || !output || process.env['TERM'] === 'dumb')
    throw new FurrowError('USAGE', 'furrow top needs a terminal that it can draw on', { hint: 'furrow status' });
  // Started if need be, as for any look at a farm; later a person may stop it, and a look must not start it again.
  (await context.farm({ lasting: true })).close();
  const file = packageFile('dist/top/main.mjs');
  if (!existsSync(file)) throw new FurrowError('MISSING', `${file} is not built`, { hint: 'npm run build' });
  const program = (await import(pathToFileURL(file).href)) as TopProgram;
  return program.top(doorOf(context));
}

function doorOf(context: Context): TopDoor {
  const { root } = context.place();
  const ending = new AbortController();
  return {
    connect: (onLost) => connect(root, { start: false, patienceMs: Number.POSITIVE_INFINITY, signal: ending.signal, onLost }),
    close: () => ending.abort(),
    run: (words, shows) => run(context, words, shows),
    mouse: !context.args.flag('no-mouse'),
    colours: !process.env['NO_COLOR'],
  };
}

/** Runs a command on the terminal. What it shows goes through the pager, so that it stays until it was read. */
async function run(context: Context, words: readonly string[], shows: boolean): Promise<number> {
  const { command, rest } = findCommand(context.commands, [...words]);
  let text = '';
  const out = (more: string) => {
    text += more;
  };
  const code = await runCommand(context.commands, command, [...rest, '--repo', context.place().root], noHelp, shows ? out : undefined);
  if (text !== '' && !pageAlways(text)) {
    write(stdout, text);
    write(stderr, '\nany key goes back to furrow top ');
    await readKey();
  }
  return code;
}

/** None of these commands asks for help. */
const noHelp = async () => 0;

import { clean } from '../platform/clean.ts';
import { exitCode, FurrowError } from '../platform/error.ts';
import type { Command } from './command.ts';
import { contextFor } from './context.ts';
import { findCommand } from './find.ts';
import { stderr, stdout, write } from './out.ts';
import { commands } from './table.ts';
import { readWords } from './words.ts';

// Only the launcher's business: a `furrow` started from here, or from the daemon, must be free to relaunch itself.
delete process.env['FURROW_RELAUNCHED'];

// No top-level await: this file must also work as CommonJS, which starts 8 ms faster.
main(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});

async function main(argv: string[]): Promise<number> {
  let command: Command | undefined;
  try {
    const ordered = commandFirst(argv);
    if (ordered[0] === '--version') return await version();
    if (ordered[0] === '--help' || ordered[0] === '-h') return await help(undefined);
    const found = findCommand(commands, ordered);
    command = found.command;
    return await runCommand(found.command, found.rest);
  } catch (error) {
    return fail(error, command);
  }
}

async function runCommand(command: Command, argv: readonly string[]): Promise<number> {
  const words = readWords(command, argv);
  if (words.flag('help')) return help(command);
  const context = contextFor(commands, command, words);
  try {
    const run = await command.run();
    return (await run(context)) ?? 0;
  } finally {
    context.close();
  }
}

/** `furrow --repo PATH status` is `furrow status --repo PATH`: options may stand before the command. */
function commandFirst(argv: string[]): string[] {
  let at = 0;
  while (argv[at]?.startsWith('--repo') || argv[at] === '--json') at += argv[at] === '--repo' ? 2 : 1;
  const before = argv.slice(0, at);
  const rest = argv.slice(at);
  if (rest.length === 0) return ['here', ...before];
  const words = rest[0] === 'queue' && rest[1] === 'eject' ? 2 : 1;
  return [...rest.slice(0, words), ...before, ...rest.slice(words)];
}

async function help(command: Command | undefined): Promise<number> {
  const { commandHelp, overview } = await import('./help.ts');
  write(stdout, command ? commandHelp(command) : overview(commands));
  return 0;
}

async function version(): Promise<number> {
  const { readFileSync } = await import('node:fs');
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string };
  write(stdout, `${version}\n`);
  return 0;
}

/** An error that the user can act on is a sentence and the next command; anything else is a bug and shows its stack. */
async function fail(error: unknown, command: Command | undefined): Promise<number> {
  if (!(error instanceof FurrowError)) {
    write(stderr, `furrow: this is a bug in furrow\n${error instanceof Error ? error.stack : String(error)}\n`);
    return 70;
  }
  write(stderr, `furrow: ${clean(error.message)}\n`);
  if (error.code === 'USAGE' && command) {
    const { usage } = await import('./help.ts');
    write(stderr, `  usage: ${usage(command)}\n`);
  }
  if (error.hint) write(stderr, `  try: ${clean(error.hint)}\n`);
  return exitCode(error);
}

import { exitCode, FurrowError, isErrno } from '../../platform/error.ts';
import { clean } from '../../platform/strip-controls.ts';
import type { Command } from './command.ts';
import { findCommand, optionsBefore } from './find.ts';
import { stderr, stdout, write } from './out.ts';
import { runCommand } from './run-command.ts';
import { commands } from './table.ts';

// Only the launcher's business: a `furrow` started from here, or from the daemon, must be free to relaunch itself.
delete process.env['FURROW_RELAUNCHED'];

/** The whole command line: runs the command that the words name, and answers its exit code. The launcher calls it. */
export async function main(argv: string[]): Promise<number> {
  let command: Command | undefined;
  try {
    const { before, words } = optionsBefore(argv);
    if (words[0] === '--version') return await version();
    if (words[0] === '--help' || words[0] === '-h') return await help(undefined);
    const found = findCommand(commands, words.length === 0 ? ['here'] : words);
    command = found.command;
    return await runCommand(commands, found.command, [...before, ...found.rest], help);
  } catch (error) {
    return fail(error, command);
  }
}

async function help(command: Command | undefined): Promise<number> {
  const { commandHelp, overview } = await import('./help.ts');
  write(stdout, command ? commandHelp(command, commands) : overview(commands));
  return 0;
}

async function version(): Promise<number> {
  const { readFileSync } = await import('node:fs');
  const { packageFile } = await import('../../platform/program.ts');
  const { version } = JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as { version: string };
  write(stdout, `${version}\n`);
  return 0;
}

/** Every relative path begins in the current folder, so any call may throw this. */
function isFolderGone(error: unknown): boolean {
  return isErrno(error, 'ENOENT') && (error as NodeJS.ErrnoException).syscall === 'uv_cwd';
}

/** An error of the machine about a folder or about descriptors, as one that the user can act on. */
async function actable(thrown: unknown): Promise<FurrowError | undefined> {
  if (isFolderGone(thrown)) return new FurrowError('NO_FOLDER', 'the folder that you are in was removed', { hint: 'cd' });
  if (!isErrno(thrown, 'EMFILE') && !isErrno(thrown, 'ENFILE')) return undefined;
  return new FurrowError('NO_DESCRIPTORS', `this command has reached its limit of open files (ulimit -n): ${(thrown as Error).message}`, {
    hint: 'ulimit -n 1024, then the same command',
  });
}

/** An error that the user can act on is a sentence and the next command; anything else is a bug and shows its stack. */
async function fail(thrown: unknown, command: Command | undefined): Promise<number> {
  const error = (await actable(thrown)) ?? thrown;
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

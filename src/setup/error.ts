import { open } from 'node:fs/promises';
import { clean } from '../platform/clean.ts';
import { FurrowError } from '../platform/error.ts';

const TAIL_BYTES = 16 * 1024;
const SHOWN = 5;

/** A set-up command ended with an error of its own. */
export class SetupError extends FurrowError {
  readonly command: string;
  readonly why: string;
  readonly log: string;

  constructor(command: string, why: string, log: string, said: string) {
    super('SETUP_FAILED', `set-up \`${command}\` failed (${why})${said ? `: ${said}` : ''}. Output: ${log}`, {
      hint: 'run the command in a fresh clone, fix it or `worktree.setup` in furrow.yaml, then furrow retry TASK',
    });
    this.command = command;
    this.why = why;
    this.log = log;
  }
}

/** The error with the last words of its log. */
export async function setupFailed(command: string, why: string, log: string): Promise<SetupError> {
  return new SetupError(command, why, log, (await lastLines(log, SHOWN)).at(-1) ?? '');
}

/** The last lines of a log that say something. */
export async function lastLines(log: string, count: number): Promise<string[]> {
  const text = clean(await tailOf(log, TAIL_BYTES));
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .filter(Boolean)
    .slice(-count);
}

export async function tailOf(log: string, bytes: number): Promise<string> {
  const file = await open(log, 'r').catch(() => undefined);
  if (!file) return '';
  try {
    const { size } = await file.stat();
    const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(size, bytes)), 0, Math.min(size, bytes), Math.max(0, size - bytes));
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

import { FurrowError } from '../../platform/error.ts';
import { readOutput } from '../../platform/output/read.ts';
import { tellingLines } from '../../platform/output/telling.ts';

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

/** The error, with the most telling lines of its output. */
export async function setupFailed(command: string, why: string, log: string): Promise<SetupError> {
  return new SetupError(command, why, log, tellingLines(await readOutput(log), { lines: 2 }).join('; '));
}

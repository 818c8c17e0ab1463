import { shellQuote } from '../../platform/shell.ts';

/** The script's last line begins with this: everything the agent printed came before it. */
export const ENDED = '-- attempt ended';

interface AttemptScript {
  /** Absolute paths: where the script notes its pid, and the exit code of the command. */
  readonly pidFile: string;
  readonly exitFile: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Put in front of the command so that its whole tree can be killed. */
  readonly jail: readonly string[];
  /** The user's own, for the files of the agent. */
  readonly umask: number;
  /** The command line of the driver, for `sh -c`. */
  readonly command: string;
}

/**
 * The script that runs in the agent's pane. It may be started twice after a crash of the daemon: the pid file is made with
 * noclobber, so the second one does nothing. The exit code is renamed into place, so it is there whole or not at all,
 * and it waits for a daemon that is not running. Variables are set in the script, not in argv, which anybody may read.
 */
export function renderScript(script: AttemptScript): string {
  const exports = Object.entries(script.env).map(([name, value]) => `export ${name}=${shellQuote(value)}`);
  const words = [...script.jail, 'sh', '-c', `trap : TERM INT HUP\n${script.command}`].map(shellQuote).join(' ');
  return [
    '#!/bin/sh',
    // Only the user may read furrow's files. A process for these lines alone, or one that asks for the umask, takes longer than the others.
    'umask 077; set -C',
    `{ echo $$ > ${shellQuote(script.pidFile)}; } 2>/dev/null || exit 0`,
    `set +C; umask ${script.umask.toString(8).padStart(4, '0')}`,
    // A shell that dies of TERM closes the terminal, whose HUP kills the whole jail: the agent would have no grace period.
    'trap : TERM INT HUP',
    'unset TMUX TMUX_PANE',
    ...exports,
    `cd ${shellQuote(script.cwd)} || exit 1`,
    words,
    'code=$?',
    'umask 077',
    `echo $code > ${shellQuote(`${script.exitFile}.tmp`)} && mv ${shellQuote(`${script.exitFile}.tmp`)} ${shellQuote(script.exitFile)}`,
    `printf '\\n${ENDED} with exit %s --\\n' "$code"`,
    '',
  ].join('\n');
}

import { mkdir } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';
import { command } from './quote.ts';

/** The file that also gets a pane's output, and its largest size. */
export interface PaneLog {
  readonly file: string;
  readonly maxBytes: number;
}

/**
 * The `pipe-pane` command that appends a pane's output to a file. tmux expands formats and dates in it and a shell runs it, so it consists
 * of fixed text, a number, and a path of harmless characters relative to the server's folder.
 *
 * The kernel enforces the bound (`ulimit -f`, in blocks of 512 bytes), however often a log is continued; `head -c` would hold back up to 4
 * KiB until its input ends. The second `cat` drains the rest, so that a program with too much output is neither blocked nor killed.
 *
 * tmux itself may drop the last bytes of a program that ends while it prints them, on the screen and in the log (3 of 150 on a loaded
 * machine, none when it lived 10 ms longer): a script around the program should outlive its last output.
 */
export async function logCommand(dir: string, pane: string, log: PaneLog): Promise<string> {
  const file = resolve(dir, log.file);
  const path = relative(dir, file);
  if (!/^[A-Za-z0-9._/-]+$/.test(path) || path.split('/').includes('..')) throw new Error(`not a path for a pane log: ${log.file}`);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const blocks = Math.max(0, Math.floor(log.maxBytes / 512));
  const keep = `(trap '' XFSZ; ulimit -f ${blocks}; exec cat >> ./${path})`;
  return command('pipe-pane', '-O', '-t', pane, `umask 077; ${keep}; exec cat > /dev/null`);
}

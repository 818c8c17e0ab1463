import { mkdir } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';
import { command } from './quote.ts';

/** Where a pane's output is also kept, and how large that file may become. */
export interface PaneLog {
  readonly file: string;
  readonly maxBytes: number;
}

/**
 * The `pipe-pane` command that appends a pane's output to a file. tmux expands formats and dates in it and a shell
 * runs it, so it is made of fixed text, a number, and a path of harmless characters relative to the server's folder.
 *
 * The bound is the kernel's (`ulimit -f`, in blocks of 512 bytes), so the file keeps it however often a log is
 * continued; `head -c` would hold back up to 4 KiB until its input ends. The second `cat` drains what comes after, so
 * that a flooding program is neither blocked nor killed.
 *
 * tmux itself may drop the last bytes of a program that ends in the moment it prints them, on the screen as in the log (3
 * of 150 on a loaded machine, none when it lived 10 ms longer): a script around the program should outlive its last word.
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

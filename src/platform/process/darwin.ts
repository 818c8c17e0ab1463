import { execFileSync } from 'node:child_process';
import type { Proc, ProcessSource } from './source.ts';

/**
 * macOS, from `ps`. The start is to the second. Since Big Sur the system hides the environment of its own signed binaries (`/bin/sh`,
 * `sleep`), so the variable does not find an orphan of those that was never seen under its parent.
 */
export const darwin: ProcessSource = {
  one: (pid) => parseTable(ps(['-p', String(pid), ...COLUMNS]))[0],
  all: () => parseTable(ps(['-ax', ...COLUMNS])),
  values: (_table, variable) => parseValues(ps(['-axww', ...COMMANDS]), ps(['-axwwE', ...COMMANDS]), variable),
};

const COLUMNS = ['-o', 'pid=,ppid=,pgid=,stat=,lstart=,command='];
const COMMANDS = ['-o', 'pid=,command='];

/** Synchronous, like reading /proc: between an older table and the signal a pid may have got another process. */
function ps(args: readonly string[]): string {
  try {
    // A fixed zone and language: otherwise the start of a live process would read differently after a change of clocks.
    const env = { PATH: '/bin:/usr/bin', LC_ALL: 'C', TZ: 'UTC' };
    return execFileSync('ps', args, {
      env,
      encoding: 'latin1',
      timeout: 10_000,
      maxBuffer: 64 * 1024 * 1024,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    // `ps -p` of a process that is gone exits 1.
    return '';
  }
}

const LINE = /^\s*(\d+)\s+(\d+)\s+\d+\s+(\S+)\s+(\w{3}\s+\w{3}\s+\d+\s+[\d:]+\s+\d{4})(?:\s|$)/;

export function parseTable(text: string): Proc[] {
  return text.split('\n').flatMap((line) => {
    const [, pid, ppid, stat, start] = LINE.exec(line) ?? [];
    if (!pid || !ppid || !stat || !start || stat.startsWith('Z')) return [];
    // `U` is macOS's uninterruptible wait.
    const state = stat.charAt(0) === 'U' ? 'D' : stat.charAt(0);
    return [{ pid: Number(pid), start: start.replace(/\s+/g, ' '), ppid: Number(ppid), state }];
  });
}

/**
 * Reads the environment from `ps -E`, which prints it directly after the arguments. The same line without `-E` tells where the arguments
 * end, so a process that merely names the variable in its arguments is not taken for ours.
 */
export function parseValues(plain: string, withEnvironment: string, variable: string): Map<number, string> {
  const commands = byPid(plain);
  const found = new Map<number, string>();
  for (const [pid, line] of byPid(withEnvironment)) {
    const command = commands.get(pid);
    if (command === undefined || !line.startsWith(command)) continue;
    const word = line
      .slice(command.length)
      .split(' ')
      .find((w) => w.startsWith(`${variable}=`));
    if (word !== undefined) found.set(pid, word.slice(variable.length + 1));
  }
  return found;
}

function byPid(text: string): Map<number, string> {
  const lines = text.split('\n').flatMap((line) => {
    const [, pid, rest] = /^\s*(\d+) (.*)$/.exec(line) ?? [];
    return pid && rest !== undefined ? [[Number(pid), rest.trimEnd()] as const] : [];
  });
  return new Map(lines);
}

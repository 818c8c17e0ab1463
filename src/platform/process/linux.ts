import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { couldNotLook } from '../error.ts';
import type { Proc, ProcessSource } from './source.ts';

/** Linux, from /proc: 300 processes are read in a few milliseconds, without a fork. */
export const linux: ProcessSource = {
  one(pid) {
    const text = readProc(pid, 'stat');
    return text === undefined ? undefined : parseStat(text, bootId());
  },
  all() {
    const boot = bootId();
    return pids().flatMap((pid) => parseStat(readProc(pid, 'stat') ?? '', boot) ?? []);
  },
  values(table, variable) {
    const found = new Map<number, string>();
    // Kernel threads (children of 2) have no environment.
    for (const { pid } of table.filter((p) => p.ppid !== 2)) {
      const value = valueIn(readProc(pid, 'environ') ?? '', variable);
      if (value !== undefined) found.set(pid, value);
    }
    return found;
  },
};

const pids = () =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);

/** Every pid of the machine, the youngest processes first as long as the numbers have not begun anew. */
export const newestPids = (): number[] => pids().reverse();

function valueIn(environ: string, variable: string): string | undefined {
  const prefix = `${variable}=`;
  const at = environ.startsWith(prefix) ? 0 : environ.indexOf(`\0${prefix}`) + 1;
  if (!environ.startsWith(prefix, at)) return undefined;
  const end = environ.indexOf('\0', at);
  return environ.slice(at + prefix.length, end < 0 ? undefined : end);
}

/**
 * One line of /proc/pid/stat. The command name may hold spaces and parentheses, so fields count from the last `)`.
 * Field 22 is the start in ticks since boot; with the boot's id it stays unique over a restart of the machine.
 */
export function parseStat(text: string, boot: string): Proc | undefined {
  const pid = Number.parseInt(text, 10);
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, ppid] = fields;
  const threads = Number(fields[17]);
  const ticks = fields[19];
  if (!(pid > 0) || !state || ticks === undefined) return undefined;
  // A main thread that ended before its siblings shows as Z too, but more than one thread means it still runs.
  if (state === 'X' || (state === 'Z' && threads <= 1)) return undefined;
  return { pid, start: `${boot}:${ticks}`, ppid: Number(ppid), state };
}

type ProcFile = 'stat' | 'environ' | 'status' | 'cgroup' | `fdinfo/${number}`;

/** Most files of /proc fit in it. It is kept: `readFileSync` asks for the size first, finds 0, and reads piece by piece, in 3 times the time. */
const page = Buffer.allocUnsafeSlow(64 * 1024);

/** A file of a process; `undefined` when it is gone (ENOENT, ESRCH) or somebody else's (EACCES): either way not one we may speak of. */
export function readProc(pid: number, file: ProcFile): string | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(`/proc/${pid}/${file}`, 'r');
    let text = '';
    for (let n = readSync(fd, page); n > 0; n = readSync(fd, page)) text += page.toString('latin1', 0, n);
    return text;
  } catch (error) {
    if (couldNotLook(error)) throw error;
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

let boot: string | undefined;

function bootId(): string {
  boot ??= readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').slice(0, 8);
  return boot;
}

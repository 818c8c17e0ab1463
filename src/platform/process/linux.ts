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
    const known = performance.now() < kernel.until;
    if (!known) kernel = { threads: new Set(), until: performance.now() + KERNEL_MS };
    return pids().flatMap((pid) => {
      if (kernel.threads.has(pid)) return [];
      const text = readProc(pid, 'stat') ?? '';
      if (!isKernelThread(text)) return parseStat(text, boot) ?? [];
      kernel.threads.add(pid);
      return [];
    });
  },
  values(table, variable) {
    const found = new Map<number, string>();
    variables[variable] ??= keptByProgram();
    const known = variables[variable];
    for (const proc of table) {
      const said = known(proc, table.length, () => {
        const environ = readProc(proc.pid, 'environ') ?? '';
        // A process that is executing another program has none.
        return environ === '' ? undefined : { value: valueIn(environ, variable) };
      });
      if (said?.value !== undefined) found.set(proc.pid, said.value);
    }
    return found;
  },
};

/**
 * The kernel's own threads: no tree of ours has one, and they were three in four of the processes of a small machine. They are known for a
 * second, because numbers of processes are given anew only after all others.
 */
let kernel: { readonly threads: Set<number>; readonly until: number } = { threads: new Set(), until: 0 };
const KERNEL_MS = 1000;

/** PF_KTHREAD, in the ninth field of /proc/pid/stat. */
const KTHREAD = 0x200000;

export function isKernelThread(stat: string): boolean {
  const flags = FLAGS.exec(stat.slice(stat.lastIndexOf(')')))?.[1];
  return flags !== undefined && (Number(flags) & KTHREAD) !== 0;
}

const FLAGS = /^\) (?:\S+ ){6}(\d+) /;

const pids = () =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);

/** Every pid of the machine, the youngest process first until the numbers wrap around. */
export const newestPids = (): number[] => pids().reverse();

/**
 * Keeps what a process was started with: it stays the same until it executes another program. Reading it again and again for 1,700
 * processes, while trees of them ended, took a sixth of the daemon's time. `among`: the number of processes of the machine; what `read`
 * could not tell (`undefined`) is read again.
 */
export function keptByProgram<T>() {
  const all = new Map<number, { start: string; image: string; said: T }>();
  return ({ pid, start, image }: Pick<Proc, 'pid' | 'start' | 'image'>, among: number, read: () => T | undefined): T | undefined => {
    const before = all.get(pid);
    if (image !== undefined && before?.image === image && before.start === start) return before.said;
    if (all.size > 2 * among + MOST_GONE) all.clear();
    const said = read();
    if (said !== undefined && image !== undefined) all.set(pid, { start, image, said });
    return said;
  };
}

/** By the name of a variable: its value in each process. */
const variables: Record<string, ReturnType<typeof keptByProgram<{ readonly value: string | undefined }>>> = {};
const MOST_GONE = 1000;

function valueIn(environ: string, variable: string): string | undefined {
  const prefix = `${variable}=`;
  const at = environ.startsWith(prefix) ? 0 : environ.indexOf(`\0${prefix}`) + 1;
  if (!environ.startsWith(prefix, at)) return undefined;
  const end = environ.indexOf('\0', at);
  return environ.slice(at + prefix.length, end < 0 ? undefined : end);
}

/**
 * Parses one line of /proc/pid/stat. The command name may hold spaces and parentheses, so fields count from the last `)`. Field 22 is the
 * start in ticks since boot; with the boot's id it stays unique over a restart of the machine.
 */
export function parseStat(text: string, boot: string): Proc | undefined {
  const pid = Number.parseInt(text, 10);
  const [, state, ppid, threads, ticks, stack, environ] = FIELDS.exec(text.slice(text.lastIndexOf(')'))) ?? [];
  if (!(pid > 0) || !state || ticks === undefined) return undefined;
  // A main thread that ended before its siblings shows as Z too, but more than one thread means it still runs.
  if (state === 'X' || (state === 'Z' && Number(threads) <= 1)) return undefined;
  const told = stack !== undefined && environ !== undefined && !/(?:^| )0(?: |$)/.test(environ);
  return { pid, start: `${boot}:${ticks}`, ppid: Number(ppid), state, ...(told && { image: `${stack} ${environ}` }) };
}

/** State and parent; the number of threads and the start; the addresses of stack, arguments and environment, if the process is ours. */
const FIELDS = /^\) (\S) (\d+) (?:\S+ ){15}(\d+) \S+ (\d+)(?: (?:\S+ ){5}(\d+) (?:\S+ ){19}(\d+ \d+ \d+ \d+))?/;

type ProcFile = 'stat' | 'environ' | 'cmdline' | 'status' | 'cgroup' | `fdinfo/${number}`;

/**
 * Most files of /proc fit in it. Reused, because `readFileSync` asks for the size, gets 0, reads piece by piece, and takes 3 times as long.
 */
const page = Buffer.allocUnsafeSlow(64 * 1024);

/** A file of a process; `undefined` when it is gone (ENOENT, ESRCH) or belongs to somebody else (EACCES). */
export function readProc(pid: number, file: ProcFile): string | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(`/proc/${pid}/${file}`, 'r');
    let text = '';
    let n = page.length;
    // The kernel fills the whole buffer; less means the end of the file.
    while (n === page.length) {
      n = readSync(fd, page);
      text += page.toString('latin1', 0, n);
    }
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

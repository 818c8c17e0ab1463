import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { FurrowError, isErrno } from './error.ts';

/** True of an error that says: no further file can be opened, by this process or on this machine. */
export const lacksDescriptors = (error: unknown): boolean => isErrno(error, 'EMFILE') || isErrno(error, 'ENFILE');

/** The number of files that this process may have open; `undefined` where the machine does not tell. */
export function mostOpen(): number | undefined {
  try {
    // Kept open: the limit can be lowered while we run, and it is asked for when nothing can be opened any more.
    own ??= openSync('/proc/self/limits', 'r');
    const text = Buffer.alloc(4096);
    return limitIn(text.toString('latin1', 0, readSync(own, text, 0, text.length, 0)));
  } catch {
    return undefined;
  }
}

let own: number | undefined;

function limitIn(limits: string): number | undefined {
  const most = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1]);
  return most > 0 ? most : undefined;
}

/** The number of files that another process of ours may have open, when it has them all; else `undefined`. */
export function allInUse(pid: number): number | undefined {
  try {
    const most = limitIn(readFileSync(`/proc/${pid}/limits`, 'utf8'));
    return most !== undefined && readdirSync(`/proc/${pid}/fd`).length >= most - FEW ? most : undefined;
  } catch {
    return undefined;
  }
}

/** A limit that was lowered later holds for numbers above it only, and a few below it may be free by chance. */
const FEW = 4;

/** The words about a process that can open no further file. */
export const noneLeft = (who: string, most: number | undefined): string =>
  `${who} has all ${most === undefined ? '' : `${most} `}files open that it may (ulimit -n)`;

/**
 * The descriptors that a child takes while it starts: two for each of its three pipes, two by which a failed start is told; and a few that
 * other threads may take meanwhile.
 */
const CHILD = 12;

/**
 * True when a child can be started. Asked before each, 0.2 ms beside the 3 to 10 ms of a start: a start that fails for want of descriptors
 * leaves up to four of Node's own open for ever, and a daemon with 64 was dead after a dozen of them.
 */
export function hasRoomForChild(): boolean {
  const taken: number[] = [];
  try {
    while (taken.length < CHILD) taken.push(openSync('/dev/null', 'r'));
    return true;
  } catch {
    return false;
  } finally {
    for (const fd of taken) closeSync(fd);
  }
}

/** The error of a program that was not started. */
export function cannotStart(program: string): Error {
  return Object.assign(new Error(`${program} cannot be started: ${noneLeft('furrow', mostOpen())}`), {
    code: 'EMFILE',
    syscall: 'spawn',
  });
}

/** The sentence about this process for whoever called it, when this error is for want of descriptors. `who` is its subject. */
export function wantOfDescriptors(
  error: unknown,
  who: string,
  { code = 'NO_DESCRIPTORS', hint }: { code?: string; hint: string },
): FurrowError | undefined {
  if (!lacksDescriptors(error)) return undefined;
  return new FurrowError(code, noneLeft(who, mostOpen()), { hint, cause: error });
}

/** With 64 of them eight agents were served, one after the other; with 44 nothing went on. */
const NEEDED = 64;

/** A daemon that could do nothing does not start. */
export function assertDescriptors(): void {
  const most = mostOpen();
  if (most === undefined || most >= NEEDED) return;
  throw new FurrowError('DAEMON_UNREACHABLE', `the daemon needs ${NEEDED} open files, and may have ${most} here (ulimit -n)`, {
    hint: 'ulimit -n 1024, then the same command',
  });
}

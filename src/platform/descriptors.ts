import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { FurrowError, isErrno } from './error.ts';

/** True when an error says that this process, or this machine, cannot open another file. */
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

/** The limit on open files of another process of ours, if it has reached that limit; else `undefined`. */
export function allInUse(pid: number): number | undefined {
  try {
    const most = limitIn(readFileSync(`/proc/${pid}/limits`, 'utf8'));
    return most !== undefined && readdirSync(`/proc/${pid}/fd`).length >= most - FEW ? most : undefined;
  } catch {
    return undefined;
  }
}

/** A limit that was lowered later holds only for higher descriptor numbers; a few below it may be free by chance. */
const FEW = 4;

/** The message about a process that cannot open another file. */
export const noneLeft = (who: string, most: number | undefined): string =>
  `${who} has reached its limit of ${most === undefined ? '' : `${most} `}open files (ulimit -n)`;

/**
 * The descriptors that the start of a child takes: two for each of its three pipes, two that report a failed start, and a few that other
 * threads may take meanwhile.
 */
const CHILD = 12;

/**
 * True when a child can be started. It is asked before each start (0.2 ms beside the 3 to 10 ms of a start), because a start that fails for
 * lack of descriptors leaks up to four of them: a daemon with 64 was dead after a dozen.
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

/** The message for the caller when this error comes from a lack of descriptors. `who` is the subject of its sentence. */
export function wantOfDescriptors(
  error: unknown,
  who: string,
  { code = 'NO_DESCRIPTORS', hint }: { code?: string; hint: string },
): FurrowError | undefined {
  if (!lacksDescriptors(error)) return undefined;
  return new FurrowError(code, noneLeft(who, mostOpen()), { hint, cause: error });
}

/** The fewest that a daemon needs: with 64 it served eight agents, one after the other; with 44 nothing moved. */
const NEEDED = 64;

/** Refuses to start a daemon that has too few descriptors to do anything. */
export function assertDescriptors(): void {
  const most = mostOpen();
  if (most === undefined || most >= NEEDED) return;
  throw new FurrowError('DAEMON_UNREACHABLE', `the daemon needs ${NEEDED} open files, and may have ${most} here (ulimit -n)`, {
    hint: 'ulimit -n 1024, then the same command',
  });
}

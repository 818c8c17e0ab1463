import { fstatSync, writeSync } from 'node:fs';
import { isErrno } from '../../platform/error.ts';

export const stdout = 1;
export const stderr = 2;

/**
 * Writes straight to the descriptor: `process.stdout` costs 1 to 3 ms to set up. A reader that went away (`| head`) ends
 * the command quietly; one that is slow is waited for, as on any blocking pipe.
 */
export function write(fd: number, text: string | Uint8Array): void {
  let left: Uint8Array = typeof text === 'string' ? Buffer.from(text) : text;
  while (left.length > 0) {
    try {
      left = left.subarray(writeSync(fd, left));
    } catch (error) {
      if (isErrno(error, 'EPIPE')) process.exit(0);
      if (!isErrno(error, 'EAGAIN')) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
}

export function isTerminal(fd: number): boolean {
  try {
    return fstatSync(fd).isCharacterDevice() && process.getBuiltinModule('node:tty').isatty(fd);
  } catch {
    return false;
  }
}

export interface Paint {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  cyan(text: string): string;
}

/** Colours for a terminal; none for a pipe, for `NO_COLOR`, or for a terminal that cannot. */
export function paintFor(fd: number, env: NodeJS.ProcessEnv = process.env): Paint {
  return paint(isTerminal(fd) && !env['NO_COLOR'] && env['TERM'] !== 'dumb');
}

export function paint(on: boolean): Paint {
  const colour = (start: number, end: number) => (text: string) => (on && text !== '' ? `\x1b[${start}m${text}\x1b[${end}m` : text);
  return {
    bold: colour(1, 22),
    dim: colour(2, 22),
    red: colour(31, 39),
    green: colour(32, 39),
    yellow: colour(33, 39),
    cyan: colour(36, 39),
  };
}

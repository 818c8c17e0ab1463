import { copyFileSync, fstatSync, ftruncateSync, renameSync, statSync, writeSync } from 'node:fs';
import { redactedJson } from './redact.ts';

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
type Level = (typeof LEVELS)[number];

/** One JSON document a line: time, level, text, and whatever belongs to it. */
export type Log = { readonly [L in Level]: (fields: object, text: string) => void };

/** The file behind a descriptor, and how large it may become. */
interface LogBound {
  readonly path: string;
  readonly most: number;
}

/** Lines between two looks at the size of the file. */
const LOOK_EVERY = 200;

/** A log on a descriptor, from a level on. We wrote these ten lines because a logging library cost the daemon 10 MB of its 80. */
export function openLog(fd: number, from: Level, bound?: LogBound): Log {
  let lines = 0;
  const write = (level: Level) => (fields: object, text: string) => {
    if (LEVELS.indexOf(level) < LEVELS.indexOf(from)) return;
    try {
      if (bound && lines++ % LOOK_EVERY === 0) emptyWhenLarge(fd, bound.path, bound.most);
      writeSync(fd, `${redactedJson({ at: new Date().toISOString(), level, text, ...fields })}\n`);
    } catch {
      // A full disk must not stop what the log is about.
    }
  };
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}

export function levelNamed(name: string | undefined): Level {
  return LEVELS.find((level) => level === name) ?? 'info';
}

/**
 * Bounds a log that a process has open as its standard output: its content goes to `PATH.1`, in place of the former one, and the file is
 * emptied. It is not replaced, because the descriptor cannot be changed.
 */
function emptyWhenLarge(fd: number, path: string, most: number): void {
  const stat = fstatSync(fd);
  if (!stat.isFile() || stat.size <= most || statSync(path).ino !== stat.ino) return;
  copyFileSync(path, `${path}.1`);
  ftruncateSync(fd, 0);
}

/** Does the same for a log that is opened for each line. */
export function renameWhenLarge(path: string, most: number): void {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > most) renameSync(path, `${path}.1`);
}

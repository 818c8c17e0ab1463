import { writeSync } from 'node:fs';
import { redactedJson } from './redact.ts';
import { emptyWhenLarge } from './rotate.ts';

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type Level = (typeof LEVELS)[number];

/** One JSON document a line: time, level, text, and whatever belongs to it. */
export type Log = { readonly [L in Level]: (fields: object, text: string) => void };

/** The file behind a descriptor, and how large it may become. */
export interface LogBound {
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

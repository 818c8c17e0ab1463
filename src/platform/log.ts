import { writeSync } from 'node:fs';
import { redactedJson } from './redact.ts';

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type Level = (typeof LEVELS)[number];

/** One JSON document a line: time, level, text, and whatever belongs to it. */
export type Log = { readonly [L in Level]: (fields: object, text: string) => void };

/** A log on a descriptor, from a level on. Ten lines of our own: a logging library cost the daemon 10 MB of its 80. */
export function openLog(fd: number, from: Level): Log {
  const write = (level: Level) => (fields: object, text: string) => {
    if (LEVELS.indexOf(level) < LEVELS.indexOf(from)) return;
    try {
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

import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { isErrno } from '../../platform/error.ts';
import type { Places } from '../../platform/places.ts';
import { HOME_PIPE } from '../../platform/tmux/home.ts';
import type { ToneLine } from '../../tell/face/overview.ts';

/** The screen of the home window, by way of its pipe. While this process has it open the window knows that the daemon lives. */
export interface HomeWindow {
  /** `false`: nobody reads the pipe, or it is full; then nothing, or a part of it, is on the screen. */
  write(text: string): boolean;
  close(): void;
}

export function homeWindow(places: Places): HomeWindow {
  let pipe: number | undefined;
  const close = () => {
    if (pipe !== undefined) closeSync(pipe);
    pipe = undefined;
  };
  return {
    close,
    write(text) {
      try {
        // Never waits: without a reader opening fails at once, and a full pipe takes what has room.
        pipe ??= openSync(join(places.dir, HOME_PIPE), constants.O_WRONLY | constants.O_NONBLOCK);
        const bytes = Buffer.from(text);
        return writeSync(pipe, bytes) === bytes.length;
      } catch (error) {
        if (!isErrno(error, 'EAGAIN')) close();
        return false;
      }
    },
  };
}

const TONES = { title: '1', calls: '1;33', plain: '', quiet: '2' } as const;

/** A picture as a terminal draws it over the one before, without an empty screen in between. */
export function frameOf(lines: readonly ToneLine[]): string {
  const drawn = lines.map(({ tone, text }) => `${TONES[tone] === '' ? text : `\x1b[${TONES[tone]}m${text}\x1b[0m`}\x1b[K`);
  return `\x1b[?25l\x1b[H${drawn.join('\r\n')}\x1b[J`;
}

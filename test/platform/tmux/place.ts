import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isListening } from '../../../src/platform/tmux/server.ts';
import { openTmux, type Tmux, type TmuxPlace } from '../../../src/platform/tmux/tmux.ts';

/** Text that would run, rename, expand, end or forge something wherever it is not treated as text. */
export const HOSTILE: readonly string[] = [
  '#(touch pwned)',
  '##(touch pwned)',
  '#{pid} #{E:#(touch pwned)} #[fg=red]',
  '$(touch pwned) `touch pwned` $HOME $'.concat('{HOME} ~ ~root'),
  '~',
  '~root',
  '; kill-server',
  'kill-server;',
  ';',
  '\\;',
  '{ kill-server }',
  '"; kill-server ; "',
  "'; kill-server ; '",
  '\\',
  'a\\nb \\101 \\u2603',
  '%end 1 1 1',
  '%H:%M %exit',
  '-t',
  '--',
  '',
  ' two  spaces ',
  'line\nkill-server\nline',
  'tab\there',
  'é ☃ 👩‍🌾 \u202e',
  '=x',
  '!x',
];

export interface Farm extends AsyncDisposable {
  readonly place: TmuxPlace;
  tmux: Tmux;
  /** Connects anew, as a restarted daemon would. */
  reopen(options?: { timeoutMs?: number }): Promise<Tmux>;
}

/** A private server in a folder of its own; both are gone when the test ends. */
export async function farm(env: Record<string, string> = {}): Promise<Farm> {
  const dir = await mkdtemp(join(tmpdir(), 'furrow-tmux-'));
  const place = { socket: join(dir, 'run', 's'), dir, session: 'farm', env: { PATH: process.env['PATH'] ?? '', ...env } };
  const made: Farm = {
    place,
    tmux: await openTmux(place),
    reopen: async (options) => {
      made.tmux = await openTmux(place, options);
      return made.tmux;
    },
    [Symbol.asyncDispose]: async () => {
      await made.tmux.killServer();
      if (await isListening(place.socket)) throw new Error('a tmux server was left behind');
      await rm(dir, { recursive: true });
    },
  };
  return made;
}

/** What `read` gives once it satisfies `good`. */
export async function eventually<T>(read: () => Promise<T>, good: (value: T) => boolean, ms = 60_000): Promise<T> {
  const end = performance.now() + ms;
  for (;;) {
    const value = await read();
    if (good(value)) return value;
    if (performance.now() > end) throw new Error(`waited ${ms} ms, last: ${JSON.stringify(value)}`);
    await pause(5);
  }
}

export const QUIET = ['sleep', '1000'] as const;

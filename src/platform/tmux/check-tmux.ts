import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { FurrowError, isErrno } from '../error.ts';
import { exec } from '../exec.ts';
import { openTmux, type Tmux } from './tmux.ts';

const OLDEST = [3, 2] as const;
const PATIENCE_MS = 10_000;

/**
 * Proves by a trial that tmux here does what we need: a private server, a window, a program started in it, text pasted and entered,
 * compared byte for byte. A version number is no proof: one release dropped flags and delivered no key, while every command reported
 * success.
 */
export async function checkTmux(): Promise<{ version: string }> {
  const version = await readVersion();
  const dir = await mkdtemp(join(tmpdir(), 'furrow-tmux-check-'));
  let tmux: Tmux | undefined;
  try {
    tmux = await openTmux({ socket: join(dir, 's'), dir, session: 'probe', env: bareEnv() });
    await roundTrip(tmux, dir);
    return { version };
  } catch (error) {
    throw new FurrowError('TMUX_BROKEN', `tmux ${version} did not pass a round trip: ${error instanceof Error ? error.message : error}`, {
      hint: 'try another tmux: 3.3a is known to work',
      cause: error,
    });
  } finally {
    await tmux?.killServer();
    await rm(dir, { recursive: true });
  }
}

async function readVersion(): Promise<string> {
  const install = { hint: `install tmux ${OLDEST.join('.')} or newer` };
  const done = await exec(['tmux', '-V'], { env: bareEnv(), timeoutMs: PATIENCE_MS }).catch((error: unknown) => {
    if (isErrno(error, 'ENOENT')) throw new FurrowError('MISSING', 'tmux is not installed', install);
    throw error;
  });
  const version = done.stdout.trim().replace(/^tmux /, '');
  if (isTooOld(version)) throw new FurrowError('MISSING', `tmux ${version} is too old`, install);
  return version;
}

/** True below the oldest version: `3.3a`, `next-3.6`. A version without numbers (`master`, `openbsd-7.5`) is left to the trial. */
export function isTooOld(version: string): boolean {
  const [, major, minor] = /^(?:next-)?(\d+)\.(\d+)/.exec(version) ?? [];
  if (major === undefined) return false;
  return Number(major) < OLDEST[0] || (Number(major) === OLDEST[0] && Number(minor) < OLDEST[1]);
}

const bareEnv = () => ({ PATH: process.env['PATH'] ?? '/usr/bin:/bin' });

async function roundTrip(tmux: Tmux, dir: string): Promise<void> {
  const text = `-é ☃ '"\\;#{pid} $HOME\n\t${randomBytes(8).toString('hex')};`;
  const expected = `${text}\r`;
  const { pane } = await tmux.openWindow('probe', ['cat', '-'], ['cat', '-']);
  const script = 'stty raw -echo && printf ready && exec head -c "$1" > "$0"';
  await tmux.respawn(pane, ['sh', '-c', script, join(dir, 'got'), String(Buffer.byteLength(expected))]);
  await until('the program to start', async () => (await tmux.capture(pane, 5)).includes('ready'));
  await tmux.paste(pane, text);
  await tmux.key(pane, 'Enter');
  await until('the text to arrive', async () => (await tmux.panes()).some((info) => info.pane === pane && info.dead && info.status === 0));
  if ((await readFile(join(dir, 'got'), 'utf8')) !== expected) throw new Error('the text did not arrive as it was sent');
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`waited ${PATIENCE_MS / 1000} s for ${what}`);
    await pause(20);
  }
}

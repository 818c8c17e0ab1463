import { watch } from 'node:fs';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import { isErrno } from '../../../../platform/error.ts';
import { reachable, sweep } from './socket.ts';
import { Wire, type WireEvents } from './wire.ts';

const FIRST_MS = 50;
const LONGEST_MS = 5000;

/** Opens a connection as soon as somebody listens; undefined when `signal` ended first. */
export async function whenListening(socket: string, events: WireEvents, signal: AbortSignal): Promise<Wire | undefined> {
  for (let pause = FIRST_MS; !signal.aborted; pause = Math.min(pause * 2, LONGEST_MS)) {
    const changed = changeIn(dirname(socket), pause, signal);
    const path = await reachable(socket);
    if (path !== undefined) {
      const wire = await Wire.open(path, events).catch(() => undefined);
      if (wire) return wire;
    }
    await changed;
  }
  return undefined;
}

/** Removes what a killed server left behind, when nobody answers there any more. */
export async function sweepIfDead(socket: string): Promise<void> {
  const path = await reachable(socket).catch(() => undefined);
  if (path === undefined) return sweep(socket);
  const dead = await new Promise<boolean>((resolve) => {
    const probe = connect(path, () => {
      probe.destroy();
      resolve(false);
    });
    probe.on('error', (error) => resolve(isErrno(error, 'ECONNREFUSED') || isErrno(error, 'ENOENT')));
  });
  if (dead) await sweep(socket);
}

/** The link to the socket is made once it listens, so a change in its folder is worth a look; the pause is for the rest. */
async function changeIn(folder: string, ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      watcher?.close();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const watcher = watchIfThere(folder, done);
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
  });
}

function watchIfThere(folder: string, changed: () => void) {
  try {
    return watch(folder, changed).on('error', () => {});
  } catch {
    return undefined;
  }
}

import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ALL } from '../all.ts';
import { plainEnv } from '../repo.ts';
import { ON_A_DISK } from '../temporary.ts';

/** In the quick run alone: benches and storms are about what a user has, a process for each daemon and command. */
export const KEEPS_WARM = process.env['VITEST'] !== undefined && !ALL;

/** A process of this worker of vitest that does one thing after the other; it ends with the worker at the latest. */
export interface Warm<In, Out> {
  readonly pid: number | undefined;
  tell(said: In): void;
  /** What it says next; `undefined`: it has ended. */
  next(): Promise<Out | undefined>;
  end(): void;
}

/** Begins one; `ended` is called when it is gone. */
export function beginWarm<In, Out>(program: string, ended: () => void): Warm<In, Out> {
  const child = fork(fileURLToPath(new URL(`${program}.ts`, import.meta.url)), {
    // Its own files are the run's, and go with it.
    env: plainEnv({ home: '/nonexistent', env: process.env[ON_A_DISK] === undefined ? {} : { TMPDIR: process.env[ON_A_DISK] } }),
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    detached: true,
  });
  child.unref();
  child.channel?.unref();
  child.once('exit', ended);
  return {
    pid: child.pid,
    tell: (said) => void child.send(said as object),
    next: () => nextOf(child),
    end: () => void child.kill('SIGKILL'),
  };
}

function nextOf<Out>(child: ChildProcess): Promise<Out | undefined> {
  const gone = child.exitCode !== null || child.signalCode !== null;
  return new Promise((resolve) => {
    if (gone) return resolve(undefined);
    // Nothing else keeps the worker alive while it waits.
    child.channel?.ref();
    const done = (said?: unknown) => {
      child.channel?.unref();
      child.off('message', done).off('exit', left);
      resolve(said as Out | undefined);
    };
    const left = () => done();
    child.on('message', done).on('exit', left);
  });
}

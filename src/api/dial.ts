import { createConnection, type Socket } from 'node:net';
import { FurrowError, isErrno } from '../platform/error.ts';
import { farmIsHere, findRoot, isOurs, socketPath } from './place.ts';

export interface ConnectOptions {
  /** Start the daemon when nothing answers. */
  readonly start: boolean;
  /** Without `start`: how long to wait for a daemon that somebody else has to start. */
  readonly patienceMs?: number;
  /** Ends that wait. */
  readonly signal?: AbortSignal;
  /** The caller wants a running daemon, not only an answer: one is started even for a farm that a person stopped. */
  readonly lasting?: boolean;
  /** The daemon's entry file, when it is not the one beside us. */
  readonly daemon?: string;
  /** The command trusts the repository as it is now. Default: what `FURROW_TRUST` says; an agent has no say in it. */
  readonly trust?: boolean;
  /** Told each time the connection is lost; it is made again when something is waiting for an answer. */
  readonly onLost?: () => void;
}

/** Connects to the daemon, and starts it if needed; `undefined`: the farm is stopped, and this call needs no daemon yet. */
export async function reach(
  root: string,
  path: string,
  options: ConnectOptions & { readonly trust: boolean },
  mayWait: boolean,
): Promise<Socket | undefined> {
  const open = () => (farmIsHere(root) ? dial(path) : Promise.resolve(undefined));
  const socket = await open();
  if (socket) return socket;
  if (!options.start) return wait(open, options, path === socketPath(root) ? undefined : path);
  if (mayWait && (await isStopped(root))) return undefined;
  const { startAndDial } = await import('./start.ts');
  return startAndDial(root, open, { daemon: options.daemon, trust: options.trust });
}

async function isStopped(root: string): Promise<boolean> {
  const { stoppedAt } = await import('../platform/stop-file.ts');
  const gitDir = findRoot(root)?.gitDir;
  return gitDir !== undefined && stoppedAt(gitDir) !== undefined;
}

/** A door whose folder was removed by mistake is there again within a second or two. */
const GONE_MS = 3000;

/** Dials again, ever more slowly, until somebody answers. */
async function wait(
  open: () => Promise<Socket | undefined>,
  { patienceMs = 0, signal }: Pick<ConnectOptions, 'patienceMs' | 'signal'>,
  door?: string,
): Promise<Socket> {
  const { existsSync } = await import('node:fs');
  const { dirname } = await import('node:path');
  const { setTimeout: sleep } = await import('node:timers/promises');
  // The folder of a door stays while no daemon runs, and goes with its attempt.
  const gone = () => door !== undefined && !existsSync(dirname(door));
  const until = performance.now() + (gone() ? Math.min(patienceMs, GONE_MS) : patienceMs);
  for (let ms = 50; performance.now() < until; ms = Math.min(ms * 2, 1000)) {
    await sleep(ms, undefined, signal && { signal });
    const socket = await open();
    if (socket) return socket;
  }
  if (gone()) throw new FurrowError('STALE', 'the attempt of this agent has ended: its door is gone', { hint: 'stop here' });
  throw unreachable('no farm is running for this repository');
}

/** A connected socket, or `undefined` when nothing listens there. */
export async function dial(path: string): Promise<Socket | undefined> {
  if (!isOurs(path) && !(await isThereAndOurs(path))) return undefined;
  return new Promise((resolve, reject) => {
    const socket = createConnection(path);
    socket.once('connect', () => {
      socket.removeAllListeners('error');
      resolve(socket);
    });
    socket.once('error', (error) => {
      // Reset: the daemon was killed before it had taken the connection.
      if (['ENOENT', 'ECONNREFUSED', 'ECONNRESET'].some((code) => isErrno(error, code))) resolve(undefined);
      else reject(unreachable(`the daemon's socket ${path} cannot be opened (${error.message})`, error));
    });
  });
}

/** A second look, because a daemon may have made the folder again since the first: only one that is there can be somebody else's. */
async function isThereAndOurs(path: string): Promise<boolean> {
  const { existsSync } = await import('node:fs');
  if (!existsSync(path)) return false;
  if (isOurs(path)) return true;
  throw unreachable(`the folder of ${path} is not yours alone, so furrow does not trust what listens there`);
}

export const unreachable = (sentence: string, cause?: unknown) =>
  new FurrowError('DAEMON_UNREACHABLE', sentence, { hint: 'furrow doctor', cause });

/** A daemon that can open no further file leaves a connection in the kernel's queue, or hangs up at once. Then this throws the sentence that says so. */
export async function assertHearing(root: string): Promise<void> {
  const [{ daemonOf }, { allInUse, noneLeft }] = await Promise.all([
    import('../platform/daemon-lock.ts'),
    import('../platform/descriptors.ts'),
  ]);
  const pid = daemonOf(findRoot(root)?.gitDir ?? '')?.pid;
  const most = pid === undefined ? undefined : allInUse(pid);
  if (most === undefined) return;
  throw new FurrowError('NO_DESCRIPTORS', `${noneLeft(`the daemon (pid ${pid})`, most)}, and cannot take a call`, {
    hint: `the same command in a moment; or, where more are allowed: kill ${pid}, then the same command; agents stay at work`,
  });
}

import { closeSync, openSync } from 'node:fs';
import { lstat, readlink, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { FurrowError, isErrno } from '../../../../platform/error.ts';
import { quotedIfNeeded } from '../../../../platform/shell.ts';

/**
 * Where an attempt's app-server listens. codex binds in `/tmp/codex-daemon-<uid>/` (0700) under the hash of this path, 84
 * bytes in all, and makes this path a link to it once it listens: so the link may be longer than the 103 bytes of a
 * socket's own name (226 were tried), and its being there is the sign that the server can be reached.
 */
export function socketOf(folder: string): string {
  return join(folder, 'codex.sock');
}

/** The folder in which codex binds, as it is called inside a fence. */
export const boundInside = () => `/tmp/codex-daemon-${process.getuid?.() ?? 0}`;

/** The same folder as it is seen from outside, for an attempt in a fence: there it is the attempt's own. */
export const boundOutside = (folder: string) => join(folder, 'sockets');

/** The target of the link. From a fence only its last part counts: an agent can write what it likes into a link. */
async function targetOf(socket: string): Promise<string> {
  const target = await readlink(socket);
  const own = boundOutside(dirname(socket));
  return (await isFolder(own)) ? join(own, basename(target)) : target;
}

/** Linux takes 107 bytes for the path of a socket; by a descriptor of its folder a longer one is reached too. */
const LONGEST = 100;
const folders = new Map<string, number>();

function shortened(path: string): string {
  if (Buffer.byteLength(path) <= LONGEST) return path;
  const folder = dirname(path);
  const descriptor = folders.get(folder) ?? openSync(folder, 'r');
  folders.set(folder, descriptor);
  return `/proc/self/fd/${descriptor}/${basename(path)}`;
}

function forget(folder: string): void {
  const descriptor = folders.get(folder);
  if (descriptor !== undefined) closeSync(descriptor);
  folders.delete(folder);
}

/** The path to connect to, or undefined while nobody listens. Refuses a folder that others could have put a socket into. */
export async function reachable(socket: string): Promise<string | undefined> {
  const target = await targetOf(socket).catch((error: unknown) => {
    if (isErrno(error, 'ENOENT')) return undefined;
    if (isErrno(error, 'EINVAL')) return socket;
    throw error;
  });
  if (!target) return undefined;
  const folder = await stat(dirname(target)).catch(() => undefined);
  if (!folder) return undefined;
  if ((process.getuid && folder.uid !== process.getuid()) || (folder.mode & 0o022) !== 0) {
    throw new FurrowError('SOCKET_NOT_OURS', `others can write in ${dirname(target)}, where codex has its socket`, {
      hint: `ls -ld ${quotedIfNeeded(dirname(target))}`,
    });
  }
  return shortened(target);
}

/** Removes what a killed server left: the link, the socket and its lock. Only ever called when nobody listens there. */
export async function sweep(socket: string): Promise<void> {
  const target = await targetOf(socket).catch(() => undefined);
  if (target) forget(dirname(target));
  const left = target && (await isSocket(target)) ? [target, `${target}.lock`, socket] : target ? [socket] : [];
  for (const path of left) await unlink(path).catch(() => {});
}

async function isFolder(path: string): Promise<boolean> {
  return lstat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

async function isSocket(path: string): Promise<boolean> {
  return lstat(path).then(
    (found) => found.isSocket(),
    () => false,
  );
}

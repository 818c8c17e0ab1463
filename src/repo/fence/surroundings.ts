import { readdirSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CERTIFICATES } from '../../platform/certificates.ts';
import { privateFolder, readIfThere, writeWhole } from '../../platform/files.ts';
import { isBelow } from '../../platform/places.ts';
import type { Mount } from './bwrap.ts';
import { FILTERED, KEPT, READ, withoutSecrets } from './home-paths.ts';
import { programMounts } from './programs.ts';
import { isIn, real, shown } from './visible-paths.ts';

/** The parts of this machine that a command inside must find. */
export interface Wishes {
  /** The environment that it will have. */
  readonly env: Readonly<Record<string, string>>;
  /** The folder that its caches are kept in. */
  readonly kept: string;
  /** Programs that it is started with, by name or path. */
  readonly programs: readonly string[];
  /** Paths that a person or a driver names; `~` is the home. */
  readonly read: readonly string[];
  readonly write: readonly string[];
}

interface Surroundings {
  readonly hidden: readonly string[];
  readonly opened: readonly Mount[];
}

/** Folders with the sockets and files of other programs, on every system. */
const SHARED = ['/tmp', '/var/tmp', '/run', '/var/lib/lxd', '/var/lib/incus', '/var/snap/lxd'];

/** Certificates and names that programs look up; on some systems they lead into `/run`. */
const SYSTEM = ['/etc/resolv.conf', '/etc/ssl/certs/ca-certificates.crt', '/run/current-system', '/run/opengl-driver'];

/** Looks at this machine: which folders to hide, and which parts of them a command still needs. */
export async function lookAround(wishes: Wishes): Promise<Surroundings> {
  const { env } = wishes;
  const home = real(env['HOME']);
  const hidden = emptied(await Promise.all([...SHARED, env['XDG_RUNTIME_DIR'], home].map(real)));
  const expand = (path: string) => (home ? path.replace(/^~(?=\/|$)/, home) : path);
  const found = [
    ...shown([...(home ? toRead(home) : []), ...SYSTEM, ...CERTIFICATES.flatMap((name) => env[name] ?? [])]),
    ...(await programMounts(env['PATH'] ?? '', wishes.programs)),
    ...(home ? await filtered(home, wishes.kept) : []),
    ...(home ? await caches(home, wishes.kept) : []),
    ...shown(wishes.read.map(expand)),
    ...shown(wishes.write.map(expand)).map((mount): Mount => ({ ...mount, write: true })),
  ];
  const needed = found.filter(({ from, to = from }) => isIn(to, hidden) && !hidden.includes(to));
  return { hidden, opened: parentsFirst(needed) };
}

/** The folders to empty. One below another stays in the list, because it must exist inside: a home below `/tmp`, say. */
function emptied(folders: readonly (string | undefined)[]): string[] {
  const there = [...new Set(folders.filter((one) => one !== undefined && one !== '/'))] as string[];
  return there.sort((a, b) => a.length - b.length);
}

/** Sorts mounts so that a folder never covers what is shown of it; of two at one path the later one counts. */
function parentsFirst(mounts: readonly Mount[]): Mount[] {
  const last = new Map(mounts.map((mount) => [mount.to ?? mount.from, mount]));
  const depth = ({ from, to = from }: Mount) => to.split('/').length;
  return [...last.values()].sort((a, b) => depth(a) - depth(b));
}

const flat = (name: string) => name.replaceAll('/', '-').replace(/^\.+/, '');

async function filtered(home: string, kept: string): Promise<Mount[]> {
  const mounts: Mount[] = [];
  for (const name of FILTERED) {
    const text = await readIfThere(join(home, name)).catch(() => undefined);
    if (text === undefined) continue;
    const copy = join(await privateFolder(join(kept, 'settings')), flat(name));
    const wanted = withoutSecrets(text);
    if ((await readIfThere(copy)) !== wanted) await writeWhole(copy, wanted);
    mounts.push({ from: copy, to: join(home, name) });
  }
  return mounts;
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** A cache that its program has not made yet, in a folder that is shown: inside, nothing could be made in what is read-only. */
const toBeMade = (home: string): string[] =>
  KEPT.filter((name) => !real(join(home, name)) && READ.some((folder) => isBelow(name, folder) && isFolder(join(home, folder))));

/** All that is shown of the home; of a folder that a cache is to be made in, each part. */
function toRead(home: string): string[] {
  const made = toBeMade(home);
  const parts = (folder: string) =>
    made.some((name) => isBelow(name, folder)) ? readdirSync(join(home, folder)).map((part) => join(folder, part)) : [folder];
  return READ.flatMap(parts).map((name) => join(home, name));
}

async function caches(home: string, kept: string): Promise<Mount[]> {
  const used = [...KEPT.filter((name) => real(join(home, name))), ...toBeMade(home)];
  return Promise.all(
    used.map(async (name): Promise<Mount> => {
      const from = join(kept, 'caches', flat(name));
      await mkdir(from, { recursive: true, mode: 0o700 });
      return { from, to: join(home, name), write: true };
    }),
  );
}

import { basename, dirname, join } from 'node:path';
import { findOnPath } from '../../platform/on-path.ts';
import { packageFile } from '../../platform/program.ts';
import type { Mount } from './bwrap.ts';
import { isIn, real, shown } from './visible-paths.ts';

/** The folders of a PATH, and the installation of each program that starts from it. */
export async function programMounts(path: string, programs: readonly string[]): Promise<Mount[]> {
  const folders = path.split(':').filter((folder) => folder.startsWith('/'));
  const found = programs.flatMap((name) => (name.startsWith('/') ? name : (findOnPath(name, path) ?? [])));
  const installed = await Promise.all(found.map(installation));
  // Commands of npm are links into the packages beside them.
  return shown([...folders.map((folder) => (basename(folder) === '.bin' ? dirname(folder) : folder)), ...installed.flat()]);
}

/** A package of npm with its dependencies, or the folder of a program. */
async function installation(file: string): Promise<string[]> {
  const program = real(file);
  if (program === undefined) return [];
  const packages = program.indexOf('/node_modules/');
  return [packages < 0 ? dirname(program) : join(program.slice(0, packages), 'node_modules')];
}

/** The Node that we run on and the files of this package, for `furrow` and the hooks of agents; only those that `folders` hide. */
export async function ownProgram(folders: readonly string[]): Promise<Mount[]> {
  const node = real(process.execPath);
  const prefix = node && dirname(dirname(node));
  const whole = prefix !== undefined && !folders.some((folder) => isIn(folder, [prefix]));
  const parts = ['bin', 'dist', 'src', 'node_modules', 'package.json'].map((name) => packageFile(name));
  const mounts = shown([...(node ? [whole ? prefix : node] : []), ...parts]);
  return mounts.filter(({ from, to = from }) => isIn(to, folders));
}

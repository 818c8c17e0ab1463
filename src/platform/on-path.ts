import { accessSync, constants, statSync } from 'node:fs';
import { join } from 'node:path';

/** True when a program of this name can be run from one of the folders of a PATH. */
export function isOnPath(name: string, path: string): boolean {
  return findOnPath(name, path) !== undefined;
}

/** Where it would be run from. */
export function findOnPath(name: string, path: string): string | undefined {
  const folder = path.split(':').find((one) => one !== '' && isExecutable(join(one, name)));
  return folder === undefined ? undefined : join(folder, name);
}

/** True for a file that can be run; a device or a folder in its place cannot. */
export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

import { accessSync, constants, statSync } from 'node:fs';
import { join } from 'node:path';

/** Whether a program of this name can be run from one of the folders of a PATH. */
export function isOnPath(name: string, path: string): boolean {
  return path.split(':').some((folder) => folder !== '' && isExecutable(join(folder, name)));
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

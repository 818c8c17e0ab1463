import { copyFileSync, fstatSync, ftruncateSync, renameSync, statSync } from 'node:fs';

/**
 * Bounds a log that a process has open as its standard output: its content goes to `PATH.1`, in place of the former one, and the file is
 * emptied. It is not replaced, because the descriptor cannot be changed.
 */
export function emptyWhenLarge(fd: number, path: string, most: number): void {
  const stat = fstatSync(fd);
  if (!stat.isFile() || stat.size <= most || statSync(path).ino !== stat.ino) return;
  copyFileSync(path, `${path}.1`);
  ftruncateSync(fd, 0);
}

/** Does the same for a log that is opened for each line. */
export function renameWhenLarge(path: string, most: number): void {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > most) renameSync(path, `${path}.1`);
}

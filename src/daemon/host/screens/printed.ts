import { watch } from 'node:fs';

/** Calls back whenever a log in this folder grows: what a program draws goes there at once. Without watches left, never. */
export function onGrowth(folder: string, listener: () => void): () => void {
  try {
    const watcher = watch(folder, { persistent: false }, listener);
    watcher.on('error', () => {});
    return () => watcher.close();
  } catch {
    return () => {};
  }
}

import { rmSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeWhole } from './files.ts';

/**
 * The person's word that the farm is stopped: a file in the git folder. It outlives the daemon, the machine's restart and the loss of
 * the store, and a command finds it without a daemon.
 */
const stopFile = (gitDir: string) => join(gitDir, 'furrow.run', 'stopped');

const TEXT = 'A person stopped this farm. It starts and lands nothing until furrow work, furrow resume or furrow submit.\n';

/** When a person stopped the farm; undefined: they did not, or let it go on since. */
export const stoppedAt = (gitDir: string): number | undefined => statSync(stopFile(gitDir), { throwIfNoEntry: false })?.mtimeMs;

/** Stops the farm. One that is stopped keeps its time. */
export async function writeStop(gitDir: string): Promise<void> {
  if (stoppedAt(gitDir) !== undefined) return;
  await mkdir(dirname(stopFile(gitDir)), { recursive: true, mode: 0o700 });
  await writeWhole(stopFile(gitDir), TEXT);
}

/** Lets the farm go on. */
export const removeStop = (gitDir: string): void => rmSync(stopFile(gitDir), { force: true });

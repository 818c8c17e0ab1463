import { rmSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeWhole } from './files.ts';

/**
 * The file in the git folder by which a person has stopped the farm. It outlives the daemon, a restart of the machine and the loss of the
 * store, and a command finds it without a daemon.
 */
const stopFile = (gitDir: string) => join(gitDir, 'furrow.run', 'stopped');

const TEXT = 'A person stopped this farm. It starts and lands nothing until furrow work, furrow resume or furrow submit.\n';

/** The time when a person stopped the farm; undefined when it is not stopped. */
export const stoppedAt = (gitDir: string): number | undefined => statSync(stopFile(gitDir), { throwIfNoEntry: false })?.mtimeMs;

/** Stops the farm. If it is stopped already, the time stays. */
export async function writeStop(gitDir: string): Promise<void> {
  if (stoppedAt(gitDir) !== undefined) return;
  await mkdir(dirname(stopFile(gitDir)), { recursive: true, mode: 0o700 });
  await writeWhole(stopFile(gitDir), TEXT);
}

/** Lets the farm work again. */
export const removeStop = (gitDir: string): void => rmSync(stopFile(gitDir), { force: true });

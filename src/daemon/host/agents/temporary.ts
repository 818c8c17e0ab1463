import { readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { privateFolder } from '../../../platform/files.ts';
import type { Host } from '../host.ts';

type Whose = Pick<Host, 'id'>;

const prefixOf = (farm: Whose) => `furrow-${farm.id}-a`;

/**
 * Agents leave sockets, libraries and conversations in the temporary folder: each attempt has its own, and it goes with it.
 * In the system's, because the path of a socket may have 100 characters or so.
 */
export const temporaryOf = (farm: Whose, attempt: number): string => join(tmpdir(), `${prefixOf(farm)}${attempt}`);

/** Only for the code that starts the process of an attempt: a folder that is made later would outlive the attempt. */
export async function makeTemporary(farm: Whose, attempt: number): Promise<void> {
  await privateFolder(temporaryOf(farm, attempt));
}

export async function removeTemporary(farm: Whose, attempt: number): Promise<void> {
  await rm(temporaryOf(farm, attempt), { recursive: true, force: true });
}

/** Removes those of attempts that are over: a daemon that was killed, or lost its store, removed none. */
export async function sweepTemporary(farm: Whose, isOver: (attempt: number) => boolean): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const number = name.startsWith(prefixOf(farm)) ? name.slice(prefixOf(farm).length) : '';
    if (/^\d+$/.test(number) && isOver(Number(number))) await removeTemporary(farm, Number(number));
  }
}

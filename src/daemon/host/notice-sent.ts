import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeWhole } from '../../platform/files.ts';
import type { Places } from '../../platform/places.ts';

/** The key of the last message that went out by a channel: what a daemon that was killed after sending it leaves to be found. */
const fileOf = (places: Places, channel: string) => join(places.run, `notice-${channel}`);

export const wasSent = async (places: Places, channel: string, key: string): Promise<boolean> =>
  (await readFile(fileOf(places, channel), 'utf8').catch(() => '')) === key;

export const noteSent = (places: Places, channel: string, key: string): Promise<void> => writeWhole(fileOf(places, channel), key);

import { z } from 'zod';
import { repositoryKey } from '../../config/trust/store.ts';
import type { Certificate } from '../../hosts/link/certificate.ts';
import { readPrivate, writePrivate } from '../../platform/user-folder.ts';

/** The door for hosts, as the next daemon finds it. It stands in the user's own folder: its key is none for the repository. */
export interface KeptDoor extends Certificate {
  readonly address: string;
  readonly port: number;
  /** The name by which hosts reach this machine, where that is not the address. */
  readonly as?: string | undefined;
}

const schema = z.strictObject({
  address: z.string(),
  port: z.number().int().min(1).max(65_535),
  as: z.string().optional(),
  key: z.string(),
  cert: z.string(),
});

const fileOf = (gitDir: string) => `leaders/${repositoryKey(gitDir)}`;

/** `undefined`: nobody was ever invited to this farm. */
export async function readDoor(gitDir: string): Promise<KeptDoor | undefined> {
  const text = await readPrivate(fileOf(gitDir));
  return text === undefined ? undefined : schema.parse(JSON.parse(text));
}

export const writeDoor = (gitDir: string, door: KeptDoor): Promise<void> => writePrivate(fileOf(gitDir), `${JSON.stringify(door)}\n`);

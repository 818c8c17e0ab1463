import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { forgetPrivate, readPrivate, writePrivate } from '../../platform/user-folder.ts';
import type { Line } from './line.ts';

/** A person's yes, as it is kept in their own folder. */
export interface TrustRecord {
  /** For people: the repository when the yes was given. It may have been moved since. */
  readonly repository: string;
  /** ISO 8601. */
  readonly at: string;
  /** In full, so that a later change can be shown beside what it was. */
  readonly lines: readonly Line[];
}

/**
 * The name of a repository in the user's folder: inode and birth of its git folder. The same after a move; another for a copy,
 * and for another clone at the same path, even where the file system gives out the inode again.
 */
export function repositoryKey(gitDir: string): string {
  const { ino, birthtimeNs } = statSync(gitDir, { bigint: true });
  return `${ino.toString(36)}-${birthtimeNs.toString(36)}`;
}

const recordFile = (key: string) => `trust/${key}.json`;
const stampFile = (key: string) => `stores/${key}`;

/** The person's yes; undefined when there is none or it cannot be read. */
export async function readRecord(key: string): Promise<TrustRecord | undefined> {
  const text = await readPrivate(recordFile(key));
  if (text === undefined) return undefined;
  try {
    const found = JSON.parse(text) as TrustRecord;
    return Array.isArray(found.lines) ? found : undefined;
  } catch {
    return undefined;
  }
}

export const writeRecord = (key: string, record: TrustRecord): Promise<void> =>
  writePrivate(recordFile(key), `${JSON.stringify(record, null, 2)}\n`);

export const forgetRecord = (key: string): Promise<void> => forgetPrivate(recordFile(key));

/** The stamp of the store that this user's furrow made for the repository. */
export const readStamp = async (key: string): Promise<string | undefined> => (await readPrivate(stampFile(key)))?.trim();

/** Makes a stamp for a store: kept here, and in the store. */
export async function makeStamp(key: string): Promise<string> {
  const stamp = randomBytes(16).toString('hex');
  await writePrivate(stampFile(key), `${stamp}\n`);
  return stamp;
}

const consentFile = (key: string) => `consents/${key}`;

/** Things beside the repository that the person agreed to for it, by name. */
export async function readConsents(key: string): Promise<ReadonlySet<string>> {
  return new Set((await readPrivate(consentFile(key)))?.split('\n').filter(Boolean));
}

export const writeConsents = (key: string, names: ReadonlySet<string>): Promise<void> =>
  writePrivate(consentFile(key), `${[...names].join('\n')}\n`);

/** The secret by which hooks of agents are known. */
export const hookSecretFile = (key: string): string => `hooks/${key}`;

/** The page's door, while it is open: its port, and the secret by which open pages are known. */
export const pageDoorFile = (key: string): string => `pages/${key}`;

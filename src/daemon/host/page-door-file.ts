import type { KeptDoor } from '../../api/page/server.ts';
import { pageDoorFile, repositoryKey } from '../../config/trust/store.ts';
import { readPrivate } from '../../platform/user-folder.ts';
import type { Host } from './host.ts';

/** The file of the page's door, in the user's own folder: its secret is none for the repository. */
export const doorFile = (repo: Host['repo']): string => pageDoorFile(repositoryKey(repo.gitDir));

/** The door that a daemon of this repository opened last and did not close. */
export const readDoor = async (repo: Host['repo']): Promise<KeptDoor | undefined> => parseDoor((await readPrivate(doorFile(repo))) ?? '');

function parseDoor(text: string): KeptDoor | undefined {
  const [, port, secret] = /^\{"port":(\d{1,5}),"secret":"([0-9a-f]{64})"\}\n$/.exec(text) ?? [];
  return port && secret ? { port: Number(port), secret } : undefined;
}

import { copyFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { privateFolder } from '../../../../platform/files.ts';

/** The user's own: a login, and what they set. */
const SEEDED = ['auth.json', 'config.toml'];

/** The folder of settings of the user's own codex. */
export const usersHome = (env: Readonly<Record<string, string>>) => env['CODEX_HOME'] ?? join(env['HOME'] ?? '', '.codex');

/** A configuration folder of the agent's own, seeded from the user's; what the user changed since is copied again. */
export async function ownHome(home: string, env: Readonly<Record<string, string>>): Promise<string> {
  const own = await privateFolder(join(home, 'codex'));
  const users = usersHome(env);
  for (const name of SEEDED) {
    const [from, to] = await Promise.all([changed(join(users, name)), changed(join(own, name))]);
    if (from !== undefined && (to === undefined || from > to)) await copyFile(join(users, name), join(own, name));
  }
  return own;
}

async function changed(path: string): Promise<number | undefined> {
  return stat(path).then(
    (found) => found.mtimeMs,
    () => undefined,
  );
}

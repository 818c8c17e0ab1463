import { keepSecrets, keepValues } from '../redact.ts';
import { readPrivate, writePrivate } from '../user-folder.ts';
import { secretsIn } from './shapes.ts';

/** The most that are kept, the newest first; a farm passes on a handful of secrets. */
const MOST = 200;
/** Our own tokens are not stored: they can be computed again. */
const OURS = /^FURROW_/;

const nameOf = (root: string) => `secrets/${process.getBuiltinModule('node:crypto').hash('sha256', root).slice(0, 16)}.json`;

/**
 * Hides the secrets of a farm from now on, also those of its earlier daemons: a text that an agent wrote yesterday is shown today by a
 * process whose environment does not have them. They are kept in the user's own folder, mode 0600.
 */
export async function loadSecrets(root: string): Promise<readonly string[]> {
  const values = await stored(root);
  keepValues(values);
  return values;
}

/** Hides the secrets of an environment, now and after the next start. */
export async function rememberSecrets(root: string, env: Readonly<Record<string, string | undefined>>): Promise<void> {
  keepSecrets(env);
  const lasting = Object.fromEntries(Object.entries(env).filter(([name]) => !OURS.test(name)));
  const [before, found] = [await stored(root), secretsIn(lasting)];
  const all = [...new Set([...before, ...found])];
  if (all.length > before.length) await writePrivate(nameOf(root), `${JSON.stringify(all.slice(-MOST))}\n`);
}

/** The stored secrets; none when somebody has changed the file by hand. */
async function stored(root: string): Promise<string[]> {
  try {
    const values: unknown = JSON.parse((await readPrivate(nameOf(root))) ?? '[]');
    return Array.isArray(values) ? values.filter((one) => typeof one === 'string') : [];
  } catch {
    return [];
  }
}

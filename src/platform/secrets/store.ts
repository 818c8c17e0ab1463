import { keepSecrets, keepValues } from '../redact.ts';
import { readPrivate, writePrivate } from '../user-folder.ts';
import { secretsIn } from './named.ts';

/** The newest; a farm passes a handful of secrets on. */
const MOST = 200;
/** Tokens that we make ourselves are made again from their own secret. */
const OURS = /^FURROW_/;

const nameOf = (root: string) => `secrets/${process.getBuiltinModule('node:crypto').hash('sha256', root).slice(0, 16)}.json`;

/**
 * Hides the secrets of a farm from now on, with those of its earlier daemons: what an agent of yesterday wrote down is shown
 * today, by a daemon or a command line whose environment has none of it. They are kept in the user's own folder, 0600.
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

/** A file that somebody has changed by hand is as good as none. */
async function stored(root: string): Promise<string[]> {
  try {
    const values: unknown = JSON.parse((await readPrivate(nameOf(root))) ?? '[]');
    return Array.isArray(values) ? values.filter((one) => typeof one === 'string') : [];
  } catch {
    return [];
  }
}

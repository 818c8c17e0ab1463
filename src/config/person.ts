import { join } from 'node:path';
import { parseDocument } from 'yaml';
import { z } from 'zod';
import { FurrowError } from '../platform/error.ts';
import { readPrivate, userFolder } from '../platform/user-folder.ts';

const FILE = 'config.yaml';

/** The settings of a person for all of their farms, in their own folder: nothing of it may stand in a repository. */
const personSchema = z.strictObject({
  /** A URL of PostgreSQL, in which their farms keep their stores. */
  store: z.string().min(1).optional(),
});

/** The URL of the database that a person wants their farms' stores in: of the environment, or of their own file. `undefined`: a file of the farm. */
export async function storeUrl(env: Readonly<Record<string, string | undefined>>): Promise<string | undefined> {
  return env['FURROW_STORE'] || (await personConfig()).store;
}

async function personConfig(): Promise<z.infer<typeof personSchema>> {
  const text = await readPrivate(FILE);
  if (text === undefined) return {};
  const doc = parseDocument(text);
  // Never with what stands there: it may have a password in it.
  const wrong = (why: string) => {
    const path = join(userFolder(), FILE);
    return new FurrowError('CONFIG', `${path}: ${why}`, { hint: `edit ${path}; its one key is store: postgres://USER@HOST:5432/DATABASE` });
  };
  const [fault] = doc.errors;
  if (fault) throw wrong(`line ${fault.linePos?.[0].line ?? 1} is not YAML`);
  const parsed = personSchema.safeParse(doc.toJS() ?? {});
  if (!parsed.success) throw wrong(parsed.error.issues.map(({ path, message }) => [...path, message].join(' ')).join('; '));
  return parsed.data;
}

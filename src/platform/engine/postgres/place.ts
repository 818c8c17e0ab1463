import { FurrowError } from '../../error.ts';

/** Where a store on PostgreSQL is. */
export interface PostgresPlace {
  /** As the person wrote it; it may have a password in it, and is shown nowhere. */
  readonly url: string;
  readonly schema: string;
  /** Host, port, database and schema, for people. */
  readonly name: string;
}

const hint = 'FURROW_STORE=postgres://USER@HOST:5432/DATABASE; the password may stand in ~/.pgpass';

/** Reads a person's URL. `schema`: the one of the farm, unless the URL names another by `?schema=`. */
export function postgresPlace(text: string, schema: string): PostgresPlace {
  const url = parsed(text);
  const asked = url.searchParams.get('schema');
  if (asked !== null && !/^[a-z_][a-z0-9_]{0,62}$/.test(asked))
    throw new FurrowError('STORE_URL', `the schema of the store's URL is not a name: ${JSON.stringify(asked)}`, { hint });
  url.searchParams.delete('schema');
  const host = url.searchParams.get('host') ?? decodeURIComponent(url.hostname);
  const port = url.port || '5432';
  const database = decodeURIComponent(url.pathname.slice(1)) || url.username;
  const own = asked ?? schema;
  return { url: url.href, schema: own, name: `${host || 'localhost'}:${port}/${database} (schema ${own})` };
}

function parsed(text: string): URL {
  // Never with the text in the message: it may have a password in it.
  if (!URL.canParse(text)) throw new FurrowError('STORE_URL', "the store's URL cannot be read", { hint });
  const url = new URL(text);
  if (!['postgres:', 'postgresql:'].includes(url.protocol))
    throw new FurrowError('STORE_URL', `the store's URL begins with ${url.protocol}, and must with postgres:`, { hint });
  return url;
}

/** The password in a URL, as it stands there and as it is sent; none: it comes from elsewhere. */
export function secretsOf(text: string): string[] {
  if (!URL.canParse(text)) return [];
  const { password, searchParams } = new URL(text);
  const all = [password, safely(password), searchParams.get('password') ?? ''].filter((one) => one.length > 0);
  return [...new Set(all)];
}

function safely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The name of a farm's schema: the folder of its repository, for people, and its id. */
export const schemaOf = (folder: string, id: string): string =>
  `furrow_${
    folder
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '_')
      .replace(/^_+|_+$/g, '')
      .slice(0, 40) || 'farm'
  }_${id}`;

import { z } from 'zod';
import { FurrowError } from '../../platform/error.ts';
import type { ForgePlace } from './forge.ts';

/** A forge that does not answer within this time is told as one. */
const TIMEOUT_MS = 20_000;
/** Of one answer: a page of 100 issues with long texts has 2 MB. */
const MOST_BYTES = 16 * 1024 * 1024;
/** Pages of one list; more is no list for a board. */
const MOST_PAGES = 20;

/** Asks the interface of one forge. It follows no redirect: the token is for this address alone. */
interface Requests {
  get<T>(path: string, schema: z.ZodType<T>): Promise<{ value: T; headers: Headers }>;
  /** The items of all pages of a list. */
  all<T>(path: string, item: z.ZodType<T>): Promise<T[]>;
}

export function requests({ api, host }: ForgePlace, headers: Readonly<Record<string, string>>): Requests {
  const base = new URL(`${api}/`);
  if (base.protocol !== 'https:' && !/^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(base.hostname))
    throw new FurrowError('FORGE', `${api} is not encrypted, so nothing is asked there`, {
      hint: 'set forge.api in furrow.yaml to a https address',
    });

  const ask = async (url: URL): Promise<{ text: string; headers: Headers }> => {
    const answer = await fetch(url, {
      headers: { accept: 'application/json', 'user-agent': 'furrow', ...headers },
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch((error: Error) => {
      throw new FurrowError('FORGE_AWAY', `${host} does not answer: ${why(error)}`, { hint: 'the same command again' });
    });
    if (!answer.ok) {
      await answer.body?.cancel();
      throw refusal(host, answer, url.pathname);
    }
    return { text: await bounded(answer, host), headers: answer.headers };
  };

  const get = async <T>(url: URL, schema: z.ZodType<T>) => {
    const { text, headers: got } = await ask(url);
    return { value: parsed(text, schema, host), headers: got };
  };

  return {
    get: (path, schema) => get(new URL(path, base), schema),
    async all<T>(path: string, item: z.ZodType<T>) {
      const found: T[] = [];
      let next: URL | undefined = new URL(path, base);
      for (let page = 0; next; page++) {
        if (page === MOST_PAGES) throw tooMany(host, found.length);
        const answer: { value: T[]; headers: Headers } = await get(next, z.array(item));
        found.push(...answer.value);
        next = nextPage(answer.headers.get('link'), base);
      }
      return found;
    },
  };
}

const tooMany = (host: string, count: number) =>
  new FurrowError('FORGE', `${host} has more than ${count} of these`, { hint: 'choose a label that fewer have' });

/** The next page of a list, if it is on the same forge. */
function nextPage(link: string | null, base: URL): URL | undefined {
  const [, text] = /<([^>]+)>\s*;[^,]*\brel="?next"?/.exec(link ?? '') ?? [];
  if (text === undefined || !URL.canParse(text, base.href)) return undefined;
  const url = new URL(text, base);
  return url.origin === base.origin ? url : undefined;
}

async function bounded(answer: Response, host: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of answer.body ?? []) {
      size += chunk.length;
      if (size > MOST_BYTES)
        throw new FurrowError('FORGE', `${host} sends more than ${MOST_BYTES / 2 ** 20} MB`, { hint: 'furrow doctor --forge' });
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof FurrowError) throw error;
    throw new FurrowError('FORGE_AWAY', `${host} ended its answer early: ${why(error as Error)}`, { hint: 'the same command again' });
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parsed<T>(text: string, schema: z.ZodType<T>, host: string): T {
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw new FurrowError('FORGE', `${host} answers in a form that furrow does not understand`, {
      hint: 'look at forge.kind and forge.api in furrow.yaml',
    });
  }
}

/** Says what an answer without the thing asked for means, and what to do. */
function refusal(host: string, { status, headers }: Response, path: string): FurrowError {
  const spent = headers.get('x-ratelimit-remaining') === '0' || headers.get('ratelimit-remaining') === '0';
  if (status === 429 || (status === 403 && (spent || headers.has('retry-after'))))
    return new FurrowError('FORGE_LIMIT', `${host} takes no more requests ${until(headers)}`, {
      hint: 'the same command then; a token allows more of them',
    });
  if (status === 401) return new FurrowError('FORGE_TOKEN', `${host} does not accept the token`, { hint: 'furrow doctor --forge' });
  if (status === 403)
    return new FurrowError('FORGE_RIGHTS', `${host} does not let this token read ${path}`, { hint: 'furrow doctor --forge' });
  if (status === 404)
    return new FurrowError('FORGE_NONE', `${host} knows no ${path}, or does not show it without a token`, {
      hint: 'furrow doctor --forge',
    });
  if (status >= 300 && status < 400)
    return new FurrowError('FORGE', `${host} redirects furrow (HTTP ${status}), and furrow does not follow`, {
      hint: 'has the repository moved? git remote set-url origin ADDRESS',
    });
  return new FurrowError('FORGE_AWAY', `${host} failed (HTTP ${status})`, { hint: 'the same command again' });
}

function until(headers: Headers): string {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  if (Number.isFinite(seconds)) return `for ${Math.ceil(seconds)} seconds`;
  const reset = Number(headers.get('x-ratelimit-reset') ?? headers.get('ratelimit-reset') ?? Number.NaN);
  return Number.isFinite(reset) ? `until ${new Date(reset * 1000).toISOString().slice(0, 16)}Z` : 'for now';
}

const why = (error: Error) =>
  error.name === 'TimeoutError' ? 'no answer in time' : ((error.cause as NodeJS.ErrnoException | undefined)?.code ?? error.message);

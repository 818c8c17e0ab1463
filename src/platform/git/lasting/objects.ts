import type { Answers, LastingGit } from './process.ts';

/** An object, or what git says instead: `missing`, `ambiguous`. */
export type Info = { readonly oid: string; readonly type: string; readonly size: number };

/** A larger object is read by a git of its own, whose output is bounded. */
const MOST_BYTES = 32 * 1024 * 1024;

const FORMAT = '%(objectname) %(objecttype) %(objectsize)';
/** The arguments of the git that is asked. */
export const OBJECTS = ['cat-file', `--batch-command=${FORMAT}`] as const;

/** Thrown for a name that is invalid, or whose object this git does not see. */
export class NotThere extends Error {}

async function header(answers: Answers): Promise<Info | undefined> {
  const line = (await answers.line()).toString('latin1');
  const [, oid, type, size] = /^([0-9a-f]{40,64}) (commit|tree|blob|tag) (\d+)$/.exec(line) ?? [];
  return oid ? { oid, type: type!, size: Number(size) } : undefined;
}

/**
 * The object that each name stands for. One unknown name throws `NotThere` for all: only a git that was started after the question may say
 * that.
 */
export async function infoOf(git: LastingGit, names: readonly string[], signal: AbortSignal): Promise<Info[]> {
  return (await seen(git, names, signal)).map(present);
}

/** The object that each name stands for, as far as this git sees it. */
export function seen(git: LastingGit, names: readonly string[], signal: AbortSignal): Promise<(Info | undefined)[]> {
  return git.ask(lines('info', names), (answers) => each(names, () => header(answers)), signal);
}

/** The bytes of each, with the same rule. */
export async function contentsOf(git: LastingGit, names: readonly string[], signal: AbortSignal): Promise<(Info & { bytes: Buffer })[]> {
  const known = await infoOf(git, names, signal);
  if (known.reduce((sum, { size }) => sum + size, 0) > MOST_BYTES) throw new NotThere('too much');
  const read = async (answers: Answers) => {
    const info = await header(answers);
    if (!info) return undefined;
    const bytes = await answers.bytes(info.size + 1);
    return { ...info, bytes: bytes.subarray(0, info.size) };
  };
  // By id: a ref may have moved since.
  const ids = known.map(({ oid }) => oid);
  const found = await git.ask(lines('contents', ids), (answers) => each(ids, () => read(answers)), signal);
  return found.map(present);
}

const lines = (verb: string, names: readonly string[]) => names.map((name) => `${verb} ${name}\n`).join('');

async function each<T>(names: readonly string[], read: () => Promise<T>): Promise<T[]> {
  const found: T[] = [];
  for (const _ of names) found.push(await read());
  return found;
}

function present<T>(one: T | undefined): T {
  if (one === undefined) throw new NotThere('missing');
  return one;
}

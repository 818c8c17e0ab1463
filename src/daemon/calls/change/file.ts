import type { In, Out } from '../../../api/contract.ts';
import { FurrowError } from '../../../platform/error.ts';
import { readBlobs } from '../../../platform/git/blobs.ts';
import { type GitOptions, git, type Repo } from '../../../platform/git/run.ts';
import { objectsIn } from '../../../repo/radar/scratch-objects.ts';
import type { Change } from './landed.ts';

/** A page holds it in memory, with the text of it beside. */
const MOST_BYTES = 4 * 1024 * 1024;

type Asked = Pick<In<'changeFile'>, 'subject' | 'path' | 'side' | 'blob' | 'weigh'>;

/** One version of a file of a change: its size, and its bytes if they are asked for and not too many. */
export async function fileOf(repo: Repo, { from, to, objects }: Change, asked: Asked): Promise<Out<'changeFile'>> {
  const { subject, path, side, blob, weigh } = asked;
  const options: GitOptions = objects === undefined ? {} : { env: objectsIn(repo, objects) };
  const name = `${side === 'old' ? from : to}:${path}`;
  const input = `${name}\0`;
  const said = await git(repo, ['cat-file', '--batch-check=%(objecttype) %(objectname) %(objectsize)', '-z'], { ...options, input });
  const [, id, size] = /^blob ([0-9a-f]+) (\d+)$/.exec(said.trimEnd()) ?? [];
  if (id === undefined || !id.startsWith(blob))
    throw new FurrowError('CHANGED', `${path} is another one by now`, { hint: `furrow diff ${subject}` });
  if (weigh === true || Number(size) > MOST_BYTES) return { size: Number(size), bytes: null };
  const [bytes] = await readBlobs(repo, { git: options }, [name]);
  return { size: Number(size), bytes: bytes?.toString('base64') ?? null };
}

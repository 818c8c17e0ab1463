import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { HOME_REFS, type HomeRef, homeRefs, WORK_BYTES } from '../../hosts/link/work.ts';
import { FurrowError } from '../../platform/error.ts';
import { brokenObjects } from '../../platform/git/broken-objects.ts';
import { git } from '../../platform/git/run.ts';
import type { Farm } from '../farm/farm.ts';

type Place = Pick<Farm, 'repo' | 'places'>;

/** The commits of an attempt that came home, whole and checked. No ref names them yet. */
export type Brought = Readonly<Partial<Record<HomeRef, string>>>;

/** A large repository takes minutes. */
const UNBUNDLE_MS = 30 * 60_000;

/** Takes the commits of an attempt from a host. `known`: commits that both have. */
export async function bringHome({ repo, places }: Place, attempt: number, body: Readable, known: readonly string[]): Promise<Brought> {
  const file = join(places.run, `work-${randomBytes(8).toString('hex')}`);
  try {
    await pipeline(body, bounded, createWriteStream(file, { mode: 0o600 }));
    const heads = await git(repo, ['bundle', 'list-heads', file]);
    const brought = new Map(heads.split('\n').map((line) => [line.slice(line.indexOf(' ') + 1), line.slice(0, line.indexOf(' '))]));
    const folder = homeRefs(attempt);
    for (const name of brought.keys())
      if (!HOME_REFS.some((one) => name === folder + one)) throw new FurrowError('NOT_WORK', `a host sent ${name}`);
    await git(repo, ['bundle', 'unbundle', file], { timeoutMs: UNBUNDLE_MS });
    for (const oid of brought.values()) {
      const broken = await brokenObjects(repo, oid, known);
      if (broken !== undefined) throw new FurrowError('NOT_WORK', `git does not take its commits: ${broken}`);
    }
    return Object.fromEntries(
      HOME_REFS.flatMap((one) => {
        const oid = brought.get(folder + one);
        return oid === undefined ? [] : [[one, oid]];
      }),
    );
  } finally {
    await rm(file, { force: true });
  }
}

async function* bounded(parts: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  let size = 0;
  for await (const part of parts) {
    size += part.length;
    if (size > WORK_BYTES) throw new FurrowError('WORK_TOO_LARGE', `more than ${WORK_BYTES / 1024 ** 2} MB of commits`);
    yield part;
  }
}

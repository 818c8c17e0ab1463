import { setImmediate as nextTick } from 'node:timers/promises';
import type { Repo } from '../../platform/git/run.ts';
import { blobSizes, contents } from '../merge/changes.ts';
import { type FoundKey, keysIn } from './keys.ts';

/** One blob that was searched. */
export interface Content {
  readonly bytes: number;
  readonly binary: boolean;
  readonly keys: readonly FoundKey[];
  /** Only for blobs whose text was asked for. */
  readonly text?: string;
}

/** The most that one git reads and that is in memory at a time. */
const AT_ONCE = 4 * 1024 * 1024;
/** After so many letters other work gets a turn: without this 80 MB in 10,000 files stopped the daemon for half a second. */
const TURN = 256 * 1024;
/** The most that is read at one look: some seconds of processor time. */
const MOST = 256 * 1024 * 1024;
/** As git does: a zero byte near the start. */
const START = 8000;

interface Wanted {
  /** Blobs of this size and above are not read: their size says enough. */
  readonly below: number;
  readonly texts: ReadonlySet<string>;
}

/** Searches blobs, in chunks. A blob that is too large has only its size; those beyond the bound are missing. */
export async function lookThrough(repo: Repo, oids: readonly string[], { below, texts }: Wanted): Promise<Map<string, Content>> {
  const sizes = await blobSizes(repo, oids);
  const found = new Map<string, Content>();
  for (const [oid, bytes] of sizes) if (bytes > below) found.set(oid, { bytes, binary: false, keys: [] });
  for (const chunk of chunksOf([...sizes].filter(([, bytes]) => bytes <= below))) {
    const read = await contents(repo, chunk);
    let since = 0;
    for (const [at, oid] of chunk.entries()) {
      const text = read[at]!;
      const binary = text.slice(0, START).includes('\0');
      since += text.length;
      if (since > TURN) {
        since = 0;
        await nextTick();
      }
      found.set(oid, { bytes: text.length, binary, keys: binary ? [] : await keysIn(text, nextTick), ...(texts.has(oid) && { text }) });
    }
    await nextTick();
  }
  return found;
}

function chunksOf(sizes: readonly (readonly [string, number])[]): string[][] {
  const chunks: string[][] = [];
  let [here, total] = [0, 0];
  for (const [oid, bytes] of sizes) {
    total += bytes;
    if (total > MOST) break;
    if (chunks.length === 0 || here + bytes > AT_ONCE) {
      chunks.push([]);
      here = 0;
    }
    chunks.at(-1)!.push(oid);
    here += bytes;
  }
  return chunks;
}

import { clean, type Store, smudge } from './content.ts';
import { packets, readPacket, writeBytes, writeList } from './pkt-line.ts';
import { DRY } from './pointer.ts';

const [IN, OUT] = [0, 1];

/**
 * The filter of large files for our git: `main STORAGE [--skip]`, in git's long-running filter protocol, version 2. git-lfs itself fetches
 * missing content, runs what `lfs.extension` of `.git/config` names, and writes hooks into the user's repository; its `--skip` leaves
 * pointers even where the content is there. This filter reads and writes the same objects.
 */
function serve(store: Store, skip: boolean): void {
  expectList('git-filter-client');
  writeList(OUT, ['git-filter-server', 'version=2']);
  expectList('capability=clean');
  writeList(OUT, ['capability=clean', 'capability=smudge']);
  for (let request = header(); request; request = header()) answer(store, skip, request.get('command') ?? '');
}

/** Reads all of the input before it answers, because git writes all of it before it reads. */
function answer(store: Store, skip: boolean, command: string): void {
  const content = packets(IN);
  const parts = command === 'clean' ? [clean(store, content)] : smudged(store, skip, Buffer.concat([...content]));
  writeList(OUT, ['status=success']);
  for (const part of parts) writeBytes(OUT, part);
  // The end of the content, and an empty list: the status stays as it was.
  writeList(OUT, []);
  writeList(OUT, []);
}

const smudged = (store: Store, skip: boolean, blob: Buffer): Iterable<Uint8Array> => (skip ? [blob] : smudge(store, blob));

function expectList(word: string): void {
  const lines = [...packets(IN)].map((line) => line.toString('utf8').trimEnd());
  if (!lines.includes(word)) throw new Error(`git did not say ${word}`);
}

/** The next request of git, by name; `undefined` when git has ended. */
function header(): Map<string, string> | undefined {
  const first = readPacket(IN);
  if (first === 'end' || first === 'flush') return undefined;
  const lines = [first, ...packets(IN)].map((line) => line.toString('utf8').replace(/\n$/, ''));
  return new Map(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}

const [storage = '', mode] = process.argv.slice(2);
try {
  serve({ storage, dry: process.env['FURROW_LFS'] === DRY.FURROW_LFS }, mode === '--skip');
} catch (error) {
  process.stderr.write(`large files: ${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}

import { chmod, open, rename, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { FurrowError } from '../error.ts';
import { type GitOptions, git, type Repo } from './run.ts';

/** As `fetch.unpackLimit`: fewer objects become loose files, so that a look every five seconds does not leave a pack each time. */
const SMALL = { objects: 100, bytes: 8 * 1024 * 1024 };
const PACK_MS = 120_000;

/**
 * Takes a pack from an untrusted source into the repository. Git parses and checks every object as for a push (`--strict`), and every
 * object that one refers to must be there. All or nothing. The file must be in `objects/pack`, and is removed.
 */
export async function takePack(repo: Repo, file: string): Promise<void> {
  try {
    const count = await objectsIn(file);
    if (count === 0) return;
    if (count <= SMALL.objects && (await stat(file)).size <= SMALL.bytes) await unpack(repo, file);
    else await keep(repo, file);
  } finally {
    for (const path of [file, `${file}.idx`]) await unlink(path).catch(() => {});
  }
}

const options: GitOptions = { timeoutMs: PACK_MS };

async function unpack(repo: Repo, file: string): Promise<void> {
  const handle = await open(file);
  const input = await handle.readFile().finally(() => handle.close());
  await git(repo, ['unpack-objects', '-q', '--strict'], { ...options, input });
}

/** Moves the pack, then its index: git uses a pack only when it has the index. */
async function keep(repo: Repo, file: string): Promise<void> {
  const name = (await git(repo, ['index-pack', '--strict', '-o', `${file}.idx`, file], options)).trim().split(/\s/).at(-1) ?? '';
  if (!/^[0-9a-f]{40,64}$/.test(name)) throw new FurrowError('GIT_FAILED', `git index-pack gave no name for ${file}`);
  for (const path of [file, `${file}.idx`]) await chmod(path, 0o444);
  await rename(file, join(repo.gitDir, 'objects', 'pack', `pack-${name}.pack`));
  await rename(`${file}.idx`, join(repo.gitDir, 'objects', 'pack', `pack-${name}.idx`));
}

/** The number that the head of a pack names; what is not there at all is no pack. */
async function objectsIn(file: string): Promise<number> {
  const handle = await open(file);
  try {
    const head = Buffer.alloc(12);
    const { bytesRead } = await handle.read(head, 0, 12, 0);
    if (bytesRead < 12 || head.toString('latin1', 0, 4) !== 'PACK') throw new FurrowError('BAD_PACK', `${file} is no pack`);
    return head.readUInt32BE(8);
  } finally {
    await handle.close();
  }
}

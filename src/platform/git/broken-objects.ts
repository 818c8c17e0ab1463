import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { GitError, git, type Repo } from './run.ts';

const CHECK_MS = 120_000;

/** Words of git about an object. Any other failure, such as a full disk, says nothing of the objects. */
const ABOUT_OBJECTS = /fsck error|bad object|unable to read|could not read|missing (blob|tree|commit)|unable to parse|is corrupt/i;

/**
 * Checks every object that a commit brings: each must be there and pass the checks of a push (`--strict`). Answers the first fault, or
 * `undefined` when all are whole. An agent that writes into the object store without git can write objects that git would never make.
 */
export async function brokenObjects(repo: Repo, tip: string, known: readonly string[]): Promise<string | undefined> {
  // On the disk of the repository: git renames its pack into it.
  const folder = await mkdtemp(join(repo.gitDir, 'objects', 'tmp_objdir-furrow-'));
  try {
    const input = `${[tip, ...known.map((one) => `^${one}`)].join('\n')}\n`;
    const name = (await git(repo, ['pack-objects', '-q', '--revs', join(folder, 'new')], { input, timeoutMs: CHECK_MS })).trim();
    const pack = join(folder, `new-${name}.pack`);
    await git(repo, ['index-pack', '--strict', '-o', join(folder, 'checked.idx'), pack], { timeoutMs: CHECK_MS });
    return undefined;
  } catch (error) {
    if (!(error instanceof GitError) || !ABOUT_OBJECTS.test(error.stderr)) throw error;
    return error.message;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

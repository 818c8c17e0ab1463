import { copyFile, lstat, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readIfThere } from '../../../platform/files.ts';
import { readBlobs } from '../../../platform/git/blobs.ts';
import { ownFolder } from '../../../platform/git/mutex.ts';
import { type Aside, withAside } from '../../../platform/git/own-object-store.ts';
import { git, type Repo } from '../../../platform/git/run.ts';
import { hasMarkers } from './blobs.ts';
import type { Conflicted } from './rules.ts';

const IMAGE = /^(pre|post)image(\.\d+)?$/;
const IMAGE_BYTES = 16 * 1024 * 1024;

/**
 * The folder where furrow keeps the resolutions that it has seen land. It is not the repository's `rr-cache`: making that would switch
 * rerere on for the user's own merges.
 */
export async function ownResolutions(repo: Repo): Promise<string> {
  return join(await ownFolder(repo), 'resolutions');
}

/** The recorded resolution of each of these files, if there is one. Ours come first, because they once passed the checks. */
export async function recall(repo: Repo, tree: string, files: readonly Conflicted[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const cache of [await ownResolutions(repo), join(repo.gitDir, 'rr-cache')]) {
    const open = files.filter((file) => !found.has(file.path));
    if (open.length === 0 || (await readdir(cache).catch(() => [])).length === 0) continue;
    for (const [path, blob] of await recallFrom(repo, cache, tree, open)) found.set(path, blob);
  }
  return found;
}

async function recallFrom(repo: Repo, cache: string, tree: string, files: readonly Conflicted[]): Promise<Map<string, string>> {
  return withAside(repo, tree, async (aside) => {
    await layConflicts(repo, aside, tree, files);
    const ids = new Set((await recordPreimages(repo, aside)).map(({ id }) => id));
    const known = await Promise.all([...ids].map((id) => copyImages(join(cache, id), join(aside.dir, 'rr-cache', id))));
    if (!known.some(Boolean)) return new Map();
    await rm(join(aside.dir, 'MERGE_RR'));
    await rerere(repo, aside);
    return resolvedIn(repo, aside, files);
  });
}

/**
 * Makes an index with the conflicts, and the files with their markers, as after a merge that stopped. Files are named by their place in the
 * list: a recorded resolution depends on the conflicting text, not on the path.
 */
export async function layConflicts(repo: Repo, aside: Aside, tree: string, files: readonly Conflicted[]): Promise<void> {
  const lines = files.flatMap(({ stages }, at) =>
    (['1', '2', '3'] as const).flatMap((stage) => {
      const side = stages[stage];
      return side ? [`${side.mode} ${side.oid} ${stage}\t${at}\n`] : [];
    }),
  );
  await git(repo, ['update-index', '--index-info'], { ...aside.git, input: lines.join('') });
  const texts = await readBlobs(
    repo,
    aside,
    files.map((file) => `${tree}:${file.path}`),
  );
  await Promise.all(texts.map((text, at) => text && writeFile(join(aside.files, String(at)), text)));
}

export async function rerere(repo: Repo, aside: Aside): Promise<void> {
  const config = [...(aside.git.config ?? []), 'rerere.enabled=true', 'rerere.autoUpdate=true'];
  await git(repo, ['rerere'], { ...aside.git, config });
}

/** Lets git name the conflicts, because only git knows its naming: each line of `MERGE_RR` is `id[.variant]<tab>file`. */
export async function recordPreimages(repo: Repo, aside: Aside): Promise<{ id: string; at: number }[]> {
  await rerere(repo, aside);
  const noted = (await readIfThere(join(aside.dir, 'MERGE_RR'))) ?? '';
  return [...noted.matchAll(/([0-9a-f]{40,64})(?:\.\d+)?\t(\d+)\0/g)].map((match) => ({ id: match[1]!, at: Number(match[2]) }));
}

/** Copies plain files only: a link planted in the cache would bring an outside file into a commit. */
async function copyImages(from: string, to: string): Promise<boolean> {
  const names = (await readdir(from).catch(() => [])).filter((name) => IMAGE.test(name));
  if (!names.some((name) => name.startsWith('post'))) return false;
  await rm(to, { recursive: true });
  await mkdir(to);
  for (const name of names) {
    const image = await lstat(join(from, name)).catch(() => undefined);
    if (image?.isFile() && image.size <= IMAGE_BYTES) await copyFile(join(from, name), join(to, name)).catch(() => {});
  }
  return true;
}

async function resolvedIn(repo: Repo, aside: Aside, files: readonly Conflicted[]): Promise<Map<string, string>> {
  const staged = await git(repo, ['ls-files', '--stage', '-z'], aside.git);
  const done = [...staged.matchAll(/(?:^|\0)\d+ ([0-9a-f]+) 0\t(\d+)/g)].map((match) => ({ blob: match[1]!, at: Number(match[2]) }));
  const texts = await readBlobs(
    repo,
    aside,
    done.map(({ blob }) => blob),
  );
  const clean = done.filter((_, at) => texts[at] && !hasMarkers(texts[at]));
  return new Map(clean.map(({ blob, at }) => [files[at]!.path, blob]));
}

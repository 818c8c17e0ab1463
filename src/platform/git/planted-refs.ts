import { type Dirent, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { leftWaiting, type Waiting, waitingFiles } from './blocking-files.ts';
import { isOwnRef, type Planted, plantedAt, putPlantedAway } from './own-ref.ts';
import type { Repo } from './run.ts';

/** The folders in which all refs are furrow's. */
const OURS = ['refs/heads/furrow', 'refs/furrow'];

/** Everything among furrow's refs that is no proper ref: symbolic refs, links, named pipes, files without an id. It runs no git. */
export function plantedRefs(gitDir: string): Planted[] {
  const names = OURS.flatMap((folder) => below(gitDir, folder));
  const found = names.flatMap((name) => plantedAt(gitDir, name) ?? []);
  return [...new Map(found.map((one) => [one.path, one])).values()];
}

/** Moves away everything among furrow's refs that would make git wait for ever. It is no ref and holds no commit. */
export async function clearOwnRefs(repo: Repo): Promise<Planted[]> {
  const nameOf = ({ path }: Waiting) => path.slice(repo.gitDir.length + 1);
  const ours = waitingFiles(repo.gitDir).filter((one) => isOwnRef(nameOf(one)));
  const found = await Promise.all(ours.map((one) => putPlantedAway(repo, nameOf(one))));
  for (const one of ours) leftWaiting(repo.gitDir, one);
  return found.flatMap((one) => one ?? []);
}

function below(gitDir: string, folder: string): string[] {
  return entries(join(gitDir, folder)).flatMap((entry) => {
    const name = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return below(gitDir, name);
    return entry.name.endsWith('.lock') ? [] : [name];
  });
}

function entries(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

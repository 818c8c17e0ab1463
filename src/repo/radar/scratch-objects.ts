import { join } from 'node:path';
import type { Repo } from '../../platform/git/run.ts';

/**
 * Environment that names where a git of the radar writes objects, and where it finds others beside the repository's own. It writes nothing
 * into the repository: a look every five seconds at twenty agents would leave 100,000 loose objects an hour.
 */
export function objectsIn(repo: Repo, write: string, read: readonly string[] = []): Record<string, string> {
  const others = [join(repo.gitDir, 'objects'), ...read.filter((folder) => folder !== write)];
  return { GIT_OBJECT_DIRECTORY: write, GIT_ALTERNATE_OBJECT_DIRECTORIES: others.map(quoted).join(':') };
}

/** Quoted, a path may hold a colon. */
const quoted = (path: string) => `"${path.replace(/["\\]/g, '\\$&')}"`;

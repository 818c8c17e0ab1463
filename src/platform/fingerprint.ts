import { statSync } from 'node:fs';
import { join } from 'node:path';

/** Something that changes whenever a file is written or replaced; cheap enough to ask every second. */
export function fingerprint(...paths: string[]): string {
  return paths
    .map((path) => {
      const stat = statSync(path, { throwIfNoEntry: false });
      return stat ? `${stat.ino}:${stat.mtimeMs}:${stat.size}` : '-';
    })
    .join(' ');
}

/** Where a branch's value can change: its own file, or the packed ones. */
export const refFiles = (gitDir: string, branch: string): string[] => [join(gitDir, 'refs/heads', branch), join(gitDir, 'packed-refs')];

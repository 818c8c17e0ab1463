import { statSync } from 'node:fs';
import { join } from 'node:path';

/** A text that changes whenever a file is written or replaced; cheap enough to ask for every second. */
export function fingerprint(...paths: string[]): string {
  return paths.map(stateOf).join(' ');
}

/** A file that cannot be looked at, such as a link to itself, also has a state; the code that reads it reports the error. */
function stateOf(path: string): string {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat ? `${stat.ino}:${stat.mtimeMs}:${stat.size}` : '-';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? '?';
  }
}

/** Where a branch's value can change: its own file, or the packed ones. */
export const refFiles = (gitDir: string, branch: string): string[] => [join(gitDir, 'refs/heads', branch), join(gitDir, 'packed-refs')];

/** The same for a branch of a remote, as the user's own git knows it. */
export const remoteRefFiles = (gitDir: string, remote: string, branch: string): string[] => [
  join(gitDir, 'refs/remotes', remote, branch),
  join(gitDir, 'packed-refs'),
];

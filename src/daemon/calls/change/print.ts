import { git, type Repo } from '../../../platform/git/run.ts';
import { PLAIN_DIFF } from '../../../repo/merge/patch.ts';
import { objectsIn } from '../../../repo/radar/objects.ts';
import type { Change } from './change.ts';

export interface Wanted {
  readonly format: 'patch' | 'stat' | 'names';
  readonly paths: readonly string[];
  /** Columns for `stat`. */
  readonly width: number;
}

export interface ChangedFile {
  readonly path: string;
  /** Null for a binary file. */
  readonly added: number | null;
  readonly removed: number | null;
}

const FORMATS = { patch: () => ['-p'], stat: (width: number) => [`--stat=${width}`], names: () => ['--name-only'] };

const gitFor =
  (repo: Repo, { from, to, objects }: Change, paths: readonly string[]) =>
  (how: readonly string[]) =>
    git(repo, [...PLAIN_DIFF, ...how, '--end-of-options', from, to, '--', ...paths], {
      encoding: 'latin1',
      ...(objects !== undefined && { env: objectsIn(repo, objects) }),
    });

/** The change as git prints it, byte for byte (latin1). */
export async function printed(repo: Repo, change: Change, wanted: Wanted): Promise<string> {
  const text = await gitFor(repo, change, wanted.paths)(FORMATS[wanted.format](wanted.width));
  return text === '' ? '' : `${text}\n`;
}

/** Its files with the lines that were added and removed. */
export async function changedFiles(repo: Repo, change: Change, paths: readonly string[]): Promise<ChangedFile[]> {
  const out = await gitFor(repo, change, paths)(['--numstat', '-z', '--no-renames']);
  return out
    .split('\0')
    .filter(Boolean)
    .map((line) => {
      const [added = '', removed = '', ...path] = line.split('\t');
      const count = (text: string) => (text === '-' ? null : Number(text));
      return { path: Buffer.from(path.join('\t'), 'latin1').toString('utf8'), added: count(added), removed: count(removed) };
    });
}

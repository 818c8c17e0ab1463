import { keptAnswers } from '../../platform/cache.ts';
import { type GitOptions, git, type Repo } from '../../platform/git/run.ts';
import { PLAIN_DIFF } from './patch.ts';
import { sinceTarget } from './since-target.ts';

interface ChangedFile {
  readonly path: string;
  /** Null for a binary file. */
  readonly added: number | null;
  readonly removed: number | null;
}

/** The files that differ between two commits, with the lines that were added and removed. No paths: all of them. */
export async function changedFiles(
  repo: Repo,
  { from, to }: { readonly from: string; readonly to: string },
  paths: readonly string[] = [],
  options: Pick<GitOptions, 'env'> = {},
): Promise<ChangedFile[]> {
  const how = [...PLAIN_DIFF, '--numstat', '-z', '--no-renames', '--end-of-options', from, to, '--', ...paths];
  const out = await git(repo, how, { encoding: 'latin1', ...options });
  return out
    .split('\0')
    .filter(Boolean)
    .map((line) => {
      const [added = '', removed = '', ...path] = line.split('\t');
      const count = (text: string) => (text === '-' ? null : Number(text));
      return { path: Buffer.from(path.join('\t'), 'latin1').toString('utf8'), added: count(added), removed: count(removed) };
    });
}

/** The size of a change, as a person who decides about it is shown. */
interface ChangeSize {
  readonly files: number;
  readonly added: number;
  readonly removed: number;
  /** The first of its files. */
  readonly paths: readonly string[];
}

const SHOWN = 6;
const kept = keptAnswers<ChangeSize | null>(500);

/**
 * The size of what a commit would add to its target; null when git cannot say. It is read once for each head of the target, because every
 * face asks for it at every change of the farm.
 */
export function changeSize(repo: Repo, { target, head, commit }: { target: string; head: string; commit: string }) {
  return kept([repo.gitDir, target, head, commit].join(' '), async (): Promise<ChangeSize | null> => {
    const files = await sinceTarget(repo, target, commit).then(
      (from) => changedFiles(repo, { from, to: commit }),
      () => undefined,
    );
    if (!files) return null;
    const sum = (of: 'added' | 'removed') => files.reduce((all, file) => all + (file[of] ?? 0), 0);
    return { files: files.length, added: sum('added'), removed: sum('removed'), paths: files.slice(0, SHOWN).map(({ path }) => path) };
  });
}

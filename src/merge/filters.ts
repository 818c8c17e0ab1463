import { git, type Repo, tryGit } from '../platform/git/run.ts';
import type { Move } from './checkout.ts';

/** Changed paths that a configured filter (git-lfs, say) rewrites on checkout; ours would leave what the filter reads. */
export async function filteredPaths(repo: Repo, move: Move): Promise<string[]> {
  const configured = await tryGit(repo, ['config', '--name-only', '--get-regexp', '^filter\\..*\\.(smudge|process)$'], { cwd: move.path });
  if (configured.code !== 0) return [];
  const filters = new Set(
    configured.stdout
      .split('\n')
      .filter(Boolean)
      .map((key) => key.replace(/^filter\./, '').replace(/\.[^.]*$/, '')),
  );
  const paths = move.changes.filter((one) => one.status !== 'D').map((one) => `${one.path}\0`);
  const input = Buffer.from(paths.join(''), 'latin1');
  const fields = (await git(repo, ['check-attr', '-z', '--stdin', 'filter'], { cwd: move.path, input, encoding: 'latin1' })).split('\0');
  return fields.filter((_, at) => at % 3 === 0 && fields[at] !== '' && filters.has(fields[at + 2] ?? ''));
}

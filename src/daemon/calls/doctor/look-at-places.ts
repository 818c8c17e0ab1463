import { existsSync } from 'node:fs';
import { readFarmFile } from '../../../platform/farm-file.ts';
import { readIfThere } from '../../../platform/files.ts';
import { linkedWorktrees } from '../../../platform/git/admin.ts';
import { isBelow } from '../../../platform/git/holders.ts';
import type { Repo } from '../../../platform/git/run.ts';
import { formerPlaces } from '../../../platform/places.ts';
import type { Farm } from '../../farm/farm.ts';

type Look = readonly ['ok' | 'warn', string, string | null];

/** Says where the worktrees are, what is still elsewhere and why, and which worktrees a moved repository has lost. */
export async function lookAtPlaces(farm: Farm): Promise<Look[]> {
  const looks: Look[] = [['ok', `worktrees and check slots are in ${farm.places.home}`, null]];
  const [file, asked] = [readFarmFile(farm.repo.gitDir), farm.config.worktree.root ?? null];
  if (file && (file.asked ?? null) !== asked) {
    const what = `worktree.root is ${asked ?? 'not set any more'}, and ${farm.places.home} stays in force while its worktrees are in use`;
    looks.push(['warn', what, 'furrow stop --all, then furrow status']);
  }
  const former = formerPlaces(farm.repo.root);
  for (const { path } of await linkedWorktrees(farm.repo)) {
    if (!path) continue;
    if (isBelow(path, former.worktrees) || isBelow(path, former.slots))
      looks.push([
        'warn',
        `${path} is still inside the checkout; it is moved when nothing runs in it`,
        'furrow stop --all, then furrow status',
      ]);
  }
  for (const { path } of await strangers(farm.repo))
    looks.push(['warn', `the worktree ${path} leads to a repository that is gone, as after a move`, 'furrow doctor --fix']);
  return looks;
}

/** Worktrees that are registered here and lead to a git folder that does not exist any more: the repository was moved. */
export async function strangers(repo: Repo): Promise<{ path: string; admin: string }[]> {
  const found: { path: string; admin: string }[] = [];
  for (const { path, admin } of await linkedWorktrees(repo)) {
    const leads = path && (await readIfThere(`${path}/.git`).catch(() => undefined))?.trim().replace(/^gitdir: /, '');
    if (path && leads && leads !== admin && !existsSync(leads)) found.push({ path, admin });
  }
  return found;
}

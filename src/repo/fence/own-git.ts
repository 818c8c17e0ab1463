import { cp, lstat, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isErrno } from '../../platform/error.ts';
import { readIfThere } from '../../platform/files.ts';
import type { Linked } from '../../platform/git/admin.ts';
import { git, type Repo } from '../../platform/git/run.ts';
import { userConfig } from '../../platform/git/user.ts';
import type { Mount } from './bwrap.ts';
import { assertFiles, borrowed, FIXED, modulesOf, partOf, plain, plainFolder, worktreeMounts } from './git-folder.ts';
import { withoutSecrets } from './home-paths.ts';
import { largeObjectsOf, OWN_LARGE } from './large-files.ts';
import { real } from './visible-paths.ts';

/**
 * An agent's own repository. Inside the fence it takes the place of the repository's git folder, and reads that folder's objects. So the
 * agent cannot write to the repository, and every git command works.
 */
export interface OwnGit {
  /** The folder; the agent writes in it. */
  readonly folder: string;
  /** The refs that it was made with, in a file that the agent cannot write: every difference is the agent's work. */
  readonly refs: string;
}

export const ownGitAt = (folder: string): OwnGit => ({ folder, refs: `${folder}.refs` });

/**
 * The places inside it that show the repository's objects, its large files, and its current branches. git-lfs looks for large files beside
 * borrowed objects.
 */
export const OBJECTS = 'furrow/objects';
const LARGE_OBJECTS = 'furrow/lfs/objects';
export const FARM_BRANCHES = 'refs/remotes/farm/';

/** Files of the registration that are furrow's own, or made new. */
const NOT_COPIED = new Set(['logs', 'locked', 'furrow-setup', 'modules']);

/** Makes it once for an attempt: the current branches, tags and settings, the registration of the worktree, and no objects. */
export async function makeOwnGit(repo: Repo, linked: Linked, own: OwnGit): Promise<void> {
  if (await lstat(own.folder).catch(() => undefined)) return;
  await assertFiles(repo);
  const half = `${own.folder}.new`;
  await rm(half, { recursive: true, force: true });
  const folders = [
    'objects/info',
    'objects/pack',
    OBJECTS,
    LARGE_OBJECTS,
    'refs/heads',
    'refs/tags',
    FARM_BRANCHES,
    'info',
    'hooks',
    'modules',
    OWN_LARGE,
    'logs',
    `worktrees/${linked.name}/modules`,
  ];
  for (const name of folders) await mkdir(join(half, name), { recursive: true, mode: 0o700 });
  const refs = await refsOf(repo);
  for (const [name, text] of Object.entries({
    HEAD: (await readIfThere(join(repo.gitDir, 'HEAD'))) ?? 'ref: refs/heads/main\n',
    config: withoutSecrets((await readIfThere(join(repo.gitDir, 'config'))) ?? ''),
    'packed-refs': `${refs.map(({ oid, ref }) => `${oid} ${ref}\n`).join('')}`,
    'objects/info/alternates': `${join(repo.gitDir, OBJECTS)}\n`,
    'info/exclude': (await readIfThere(join(repo.gitDir, 'info', 'exclude'))) ?? '',
    ...one('shallow', await readIfThere(join(repo.gitDir, 'shallow'))),
    ...one('info/attributes', await readIfThere(join(repo.gitDir, 'info', 'attributes'))),
  }))
    await writeFile(join(half, name), text, { mode: 0o600 });
  await copyRegistration(linked, join(half, 'worktrees', linked.name));
  await writeFile(own.refs, refs.map(({ oid, ref }) => `${oid} ${ref}\n`).join(''), { mode: 0o600 });
  await rename(half, own.folder);
}

const one = (name: string, text: string | undefined) => (text === undefined ? {} : { [name]: text });

/** The refs that people work with, without furrow's own and the branches of other agents. */
async function refsOf(repo: Repo): Promise<{ oid: string; ref: string }[]> {
  const lines = (await git(repo, ['for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads', 'refs/tags', 'refs/remotes'])).split(
    '\n',
  );
  const all = lines.filter(Boolean).map((line) => ({ oid: line.slice(0, line.indexOf(' ')), ref: line.slice(line.indexOf(' ') + 1) }));
  const shown = all.filter(({ ref }) => !ref.startsWith('refs/remotes/farm/'));
  const farm = shown.filter(({ ref }) => /^refs\/heads\/(?!furrow\/)/.test(ref));
  return [...shown, ...farm.map(({ oid, ref }) => ({ oid, ref: ref.replace(/^refs\/heads\//, FARM_BRANCHES) }))];
}

async function copyRegistration(linked: Linked, to: string): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 });
  for (const name of await readdir(linked.admin)) {
    const from = join(linked.admin, name);
    if (NOT_COPIED.has(name) || name.endsWith('.lock') || (await lstat(from)).isSymbolicLink()) continue;
    await cp(from, join(to, name), { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  }
  await writeFile(join(to, 'config.worktree'), '', { mode: 0o600 });
}

/**
 * Folders above files that an agent must not replace. As mounts they can be neither renamed nor removed, so nothing in them can be led
 * elsewhere.
 */
const anchors = (name: string) => [
  ...['objects', 'objects/info', 'refs', 'refs/remotes', 'furrow', 'furrow/lfs'],
  ...['worktrees', `worktrees/${name}`, `worktrees/${name}/modules`],
];

/** The mounts that put it over the git folder, with the worktree. */
export async function ownGitMounts(repo: Repo, linked: Linked, own: OwnGit, env: Readonly<Record<string, string>>): Promise<Mount[]> {
  const { gitDir } = repo;
  const admin = `worktrees/${linked.name}`;
  const over = async (name: string, look: (path: string) => Promise<string>, write?: true): Promise<Mount> => ({
    from: await look(join(own.folder, name)),
    to: join(gitDir, name),
    ...(write && { write }),
  });
  const seen = (name: string, to: string): Mount[] => {
    const from = partOf(gitDir, name);
    return from === undefined ? [] : [{ from, to: join(gitDir, to) }];
  };
  return [
    { from: own.folder, to: gitDir, write: true },
    ...(await Promise.all(anchors(linked.name).map((name) => over(name, plainFolder, true)))),
    { from: real(join(gitDir, 'objects')) ?? join(gitDir, 'objects'), to: join(gitDir, OBJECTS) },
    ...borrowed(gitDir, env),
    ...seen('hooks', 'hooks'),
    ...seen('modules', 'modules'),
    ...seen('refs/heads', FARM_BRANCHES),
    ...(await modulesOf(linked)),
    ...(await largeMounts(repo, own)),
    // The permission rules rely on what git runs or reads through these; the agent must not change that.
    ...(await Promise.all(
      ['config', 'objects/info/alternates', ...FIXED.map((name) => `${admin}/${name}`)].map((name) => over(name, plain)),
    )),
    ...(await worktreeMounts(linked)),
  ];
}

/** Mounts for large files: those of the repository read-only, beside the borrowed objects; new ones go into its own folder. */
async function largeMounts(repo: Repo, own: OwnGit): Promise<Mount[]> {
  const { lfs } = await userConfig(repo);
  if (!lfs) return [];
  const [objects, place] = [largeObjectsOf(lfs.storage), real(lfs.storage)];
  const elsewhere = place !== undefined && place !== real(join(repo.gitDir, 'lfs'));
  return [
    ...(objects === undefined ? [] : [{ from: objects, to: join(repo.gitDir, LARGE_OBJECTS) }]),
    ...(elsewhere ? [{ from: await plainFolder(join(own.folder, OWN_LARGE)), to: place, write: true } as const] : []),
  ];
}

/**
 * Removes it once everything in it has been brought home. At its place it is whole or not there: half of it, after a kill, would be taken
 * for the work of an agent that broke its repository.
 */
export async function removeOwnGit(own: OwnGit): Promise<void> {
  const gone = `${own.folder}.gone`;
  await rm(gone, { recursive: true, force: true });
  await rename(own.folder, gone).catch((error: unknown) => {
    if (!isErrno(error, 'ENOENT')) throw error;
  });
  for (const path of [gone, `${own.folder}.new`, own.refs, `${own.folder}.attempt`]) await rm(path, { recursive: true, force: true });
}

import { appendFile, copyFile, lstat, mkdir, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { FurrowError } from '../../error.ts';
import { readSmall, writeWhole } from '../../files.ts';
import { isBelow } from '../../places.ts';
import { quotedIfNeeded } from '../../shell.ts';
import type { Linked } from '../admin.ts';
import { type GitOptions, git, type Repo, tryGit } from '../run.ts';
import { changedSubmodules } from './changed.ts';
import { type Named, submodulesOf } from './named.ts';
import { type Filled, filledIn, gitIn, isPlainWay, makeFolder, noteFilled, notesOf } from './place.ts';

/** Deeper than submodules are nested anywhere. */
const DEEPEST = 8;

/** One that stays empty, with the reason and the way to get it. */
export interface Empty {
  readonly path: string;
  readonly why: string;
}

/**
 * Fills the submodules of a worktree with the commits that its tree names, from the person's own clone (`.git/modules`), without a network and without
 * anybody's configuration: git there finds a repository of its own that reads the clone's objects. Files that somebody changed since are a
 * refusal; `anew`: they go. A submodule that the clone does not have stays as it is, for the set-up to get.
 */
export async function fillSubmodules(repo: Repo, linked: Linked, commit: string, anew = false): Promise<readonly Empty[]> {
  const root = linked.path ?? '';
  const before = await filledIn(repo, linked.name);
  const has = (await lstat(join(root, '.gitmodules')).catch(() => undefined)) !== undefined;
  if (before.length === 0 && !has) return [];
  if (!anew) await assertUnchanged(repo, linked);
  for (const one of before) await clear(root, linked, one, anew);
  const [filled, empty]: [Filled[], Empty[]] = [[], []];
  const place = { files: '', modules: join(repo.gitDir, 'modules'), theirs: 'modules', ours: notesOf(repo, linked.name), depth: 0 };
  if (has)
    await fillLevel({ repo, linked, anew, filled, empty }, place, commit, {
      cwd: root,
      env: { GIT_DIR: linked.admin, GIT_WORK_TREE: root },
    });
  await noteFilled(repo, linked.name, filled);
  return empty;
}

/** Readies the submodules of a worktree for another commit: the folder of one that it does not have goes, because git would leave it. */
export async function leaveSubmodules(repo: Repo, linked: Linked, commit: string): Promise<void> {
  const filled = await filledIn(repo, linked.name);
  if (filled.length === 0) return;
  await assertUnchanged(repo, linked);
  const root = linked.path ?? '';
  const gone: string[] = [];
  for (const { path } of filled.filter((one) => !filled.some((other) => other !== one && isBelow(one.path, other.path)))) {
    if (!(await git(repo, ['ls-tree', '-z', '--full-tree', commit, '--', path])).startsWith('160000 ')) gone.push(path);
  }
  const isGone = ({ path }: Filled) => gone.some((one) => isBelow(path, one));
  for (const one of filled.filter(isGone)) await clear(root, linked, one, true);
  await noteFilled(
    repo,
    linked.name,
    filled.filter((one) => !isGone(one)),
  );
}

/** Refuses a worktree in whose submodules somebody worked: furrow neither saves that nor removes it. */
async function assertUnchanged(repo: Repo, linked: Linked): Promise<void> {
  const changed = (await changedSubmodules(repo, linked))[0];
  if (changed !== undefined) throw new FurrowError('SUBMODULE_CHANGED', `the submodule ${changed} was changed in it`);
}

/** Without its repository; its ignored files stay with the worktree, as those of the worktree do. */
async function clear(root: string, linked: Linked, { path, theirs, ours }: Filled, anew: boolean): Promise<void> {
  await rm(ours, { recursive: true, force: true });
  if (await isPlainWay(linked.admin, relative(linked.admin, theirs))) await rm(theirs, { recursive: true, force: true });
  if (!(await isPlainWay(root, path))) return;
  if (anew) await rm(join(root, path), { recursive: true, force: true });
  else await rm(join(root, path, '.git'), { force: true });
}

interface Work {
  readonly repo: Repo;
  readonly linked: Linked;
  readonly anew: boolean;
  readonly filled: Filled[];
  readonly empty: Empty[];
}

/** The submodules of one repository: those of the worktree, or of one of its submodules. */
interface Level {
  /** Its folder in the worktree; empty for the worktree itself. */
  readonly files: string;
  /** The repositories of the person's clone. */
  readonly modules: string;
  /** Below the registration. */
  readonly theirs: string;
  readonly ours: string;
  /** The configuration of the submodule whose own these are; absent: the worktree's, where the person's clone has them already. */
  readonly config?: string;
  readonly depth: number;
}

async function fillLevel(work: Work, level: Level, commit: string, look: GitOptions): Promise<void> {
  if (level.depth === DEEPEST) return;
  const { good, refused } = await submodulesOf(work.repo, commit, look);
  work.empty.push(...refused.map(({ path, why }) => ({ path: join(level.files, path), why })));
  for (const one of good) await fillOne(work, level, one);
}

async function fillOne(work: Work, level: Level, { path, commit, name }: Named): Promise<void> {
  const { repo, linked, anew, filled, empty } = work;
  const [root, at] = [linked.path ?? '', join(level.files, path)];
  const [source, theirs, ours] = [
    join(level.modules, name),
    join(linked.admin, level.theirs, name),
    join(level.ours, encodeURIComponent(name)),
  ];
  const objects = join(source, 'objects');
  const clone = join(repo.root, at);
  if (!(await isPlainWay(repo.gitDir, relative(repo.gitDir, objects))) || !(await lstat(objects).catch(() => undefined)))
    return void empty.push({ path: at, why: `it is not in ${repo.root}: git submodule update --init --recursive` });
  if (!(await isPlainWay(root, at)) || !(await isPlainWay(linked.admin, relative(linked.admin, theirs))))
    return void empty.push({ path: at, why: 'a file or link is in its place' });
  // Set-up cloned it there.
  if (!anew && (await lstat(theirs).catch(() => undefined))) return;
  await rm(ours, { recursive: true, force: true });
  await makeFolder(ours, commit, '');
  const files = join(root, at);
  await mkdir(files, { recursive: true });
  const inside = gitIn({ ours, objects }, files);
  const there = await tryGit(repo, ['cat-file', '-e', `${commit}^{tree}`], inside);
  if (there.code !== 0) {
    await rm(ours, { recursive: true, force: true });
    return void empty.push({ path: at, why: `${commit.slice(0, 8)} is not in ${clone}: git -C ${quotedIfNeeded(clone)} fetch` });
  }
  await git(repo, ['read-tree', '--reset', '-u', commit], { ...inside, timeoutMs: 600_000 });
  await git(repo, ['clean', anew ? '-ffdxq' : '-ffdq'], inside);
  await rm(theirs, { recursive: true, force: true });
  const url = remoteOf(source);
  const worktree = `\tworktree = ${JSON.stringify(relative(theirs, files))}\n`;
  const remote = url === undefined ? '' : `[remote "origin"]\n${urlLine(url)}\tfetch = +refs/heads/*:refs/remotes/origin/*\n`;
  await makeFolder(theirs, commit, worktree + remote, { 'objects/info/alternates': `${objects}\n` });
  await copyFile(join(ours, 'index'), join(theirs, 'index'));
  await rm(join(files, '.git'), { recursive: true, force: true });
  await writeWhole(join(files, '.git'), `gitdir: ${theirs}\n`, 0o644);
  filled.push({ path: at, commit, theirs, ours, objects });
  if (level.config !== undefined) await appendFile(level.config, `[submodule ${JSON.stringify(name)}]\n\tactive = true\n${urlLine(url)}`);
  const next = {
    files: at,
    modules: join(source, 'modules'),
    theirs: join(level.theirs, name, 'modules'),
    ours: join(ours, 'modules'),
    config: join(theirs, 'config'),
    depth: level.depth + 1,
  };
  if (await lstat(join(files, '.gitmodules')).catch(() => undefined)) await fillLevel(work, next, commit, inside);
}

const urlLine = (url: string | undefined) => (url === undefined ? '' : `\turl = ${JSON.stringify(url)}\n`);

/** The address of a clone's remote, for people's git; not one with a password in it, or that a program could read as something else. */
function remoteOf(source: string): string | undefined {
  const url = /^\[remote "origin"\][^[]*?^\s*url\s*=\s*"?([^"\n]+?)"?\s*$/m.exec(readSmall(join(source, 'config')) ?? '')?.[1];
  return url === undefined || /^-|::|:\/\/[^/\s]*@/.test(url) ? undefined : url;
}

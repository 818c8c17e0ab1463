import { realpath } from 'node:fs/promises';
import { basename } from 'node:path';
import { faultPoint } from '../../platform/fault.ts';
import { git, type Repo } from '../../platform/git/run.ts';
import { isBelow } from '../../platform/places.ts';
import { runCommand } from '../merge/check.ts';
import { changedFiles, type InSlot, prepareSlot, type Slot } from '../merge/slot.ts';
import type { Inside } from '../merge/slot-index.ts';
import { copyIgnored } from '../worktree/surroundings.ts';
import { capture, installsItself, namesPlace } from './capture.ts';
import { differences, listFiles, type Manifest, outermost } from './manifest.ts';
import { setupFailed } from './setup-error.ts';
import { type Found, newTemplate, publishTemplate } from './template.ts';

export interface BuildOrder {
  readonly key: string;
  readonly commit: string;
  readonly tree: string;
  readonly commands: readonly string[];
  /** Patterns of ignored files that are first copied from the user's checkout. */
  readonly copy: readonly string[];
  /** The user named the files that decide (`worktree.setup_files`); no other file counts. */
  readonly named: boolean;
  readonly env: Readonly<Record<string, string>>;
  readonly log: string;
}

export const SETUP_MS = 30 * 60_000;

/** Runs set-up in a clean slot at a commit, and keeps the result as a template. A failing command is a `SetupError`. */
export async function buildTemplate(repo: Repo, slot: Slot, templates: string, order: BuildOrder, signal: AbortSignal): Promise<Found> {
  const started = performance.now();
  const ran = await runSetup(repo, slot, order, signal);
  const place = await realpath(slot.path);
  const { paths, notes } = await whatWasMade(repo, ran);
  const making = await newTemplate(templates);
  await capture(place, paths, making);
  await faultPoint('setup.captured');
  const { rewrite, binary } = await namesPlace(making, place);
  if (binary > 0) notes.push(`${binary} binary files in it name the folder in which they were made`);
  const sourced = order.named ? [] : fromSources(paths);
  const itself = !order.named && (await installsItself(making, rewrite));
  if (sourced.length > 0) notes.push(`it also makes ${some(sourced)}, perhaps from your sources, so it ${AGAIN}`);
  else if (itself) notes.push(`it installs a copy of your own package, so it ${AGAIN}`);
  const seconds = (performance.now() - started) / 1000;
  const exact = sourced.length > 0 || itself;
  const { key, tree } = order;
  return publishTemplate(templates, making, { key, tree, exact, place, paths, rewrite, each: ran.each, notes, seconds });
}

const AGAIN = 'runs again for every tree; name the files that decide it in `worktree.setup_files` to change that';

interface Ran {
  readonly inside: InSlot;
  readonly before: Manifest;
  /** Commands that changed nothing in the slot. */
  readonly each: readonly string[];
}

/** Runs the commands one after the other. */
export async function runSetup(repo: Repo, slot: Slot, order: BuildOrder, signal: AbortSignal): Promise<Ran> {
  const inside = await prepareSlot(repo, slot.path, order.commit);
  await copyIgnored(repo.root, slot.path, order.copy);
  const look = async () => listFiles(slot.path, await madePaths(repo, inside));
  const before = await look();
  const each: string[] = [];
  let last = before;
  for (const command of order.commands) {
    await runOne(slot, command, order, signal);
    await faultPoint('setup.ran');
    const now = await look();
    if (differences(last, now).length === 0) each.push(command);
    last = now;
  }
  return { inside, before, each };
}

/** Runs one command of set-up in a slot. Its own failure is a `SetupError`; trouble of the machine is any other error. */
export async function runOne(
  slot: Slot,
  command: string,
  { env, log }: Pick<BuildOrder, 'env' | 'log'>,
  signal: AbortSignal,
): Promise<void> {
  const done = await runCommand(slot, { name: 'set-up', run: command, timeoutMs: SETUP_MS, env, log }, signal);
  if (done.code === 0) return;
  // SIGKILL that is not ours is the kernel short of memory; 137 is the same seen through a shell or a jail.
  if (!done.timedOut && (done.signal === 'SIGKILL' || done.code === 137))
    throw new Error(`set-up \`${command}\` was killed, perhaps for lack of memory. Output: ${log}`);
  const why = done.timedOut
    ? `timed out after ${SETUP_MS / 60_000} minutes`
    : done.signal
      ? `ended by ${done.signal}`
      : `exit ${done.code}`;
  throw await setupFailed(command, why, log);
}

async function whatWasMade(repo: Repo, { inside, before }: Ran): Promise<{ paths: string[]; notes: string[] }> {
  const found = await madePaths(repo, inside);
  const changed = differences(before, await listFiles(inside.cwd, found));
  const paths = found.filter((path) => changed.some((one) => isBelow(one, path) || isBelow(path, one)));
  const notes: string[] = [];
  const tracked = await changedFiles(repo, inside);
  if (tracked.length > 0) notes.push(`it changes ${some(tracked)}, which git tracks; that is left as the commit has it`);
  const open = await notIgnored(repo, inside, paths);
  if (open.length > 0) notes.push(`.gitignore does not name ${some(open)}, which it makes: an agent may commit it`);
  if (paths.length === 0) notes.push('it makes no files, so it runs in every worktree and before every check');
  return { paths, notes };
}

const some = (paths: readonly string[]) => `${paths.slice(0, 3).join(', ')}${paths.length > 3 ? ` and ${paths.length - 3} more` : ''}`;

/** Files that any run of a program leaves; set-up does not count them. */
const LITTER = /(^|\/)(__pycache__|\.pytest_cache|\.DS_Store|[^/]+\.pyc)$/;

/** Folders that package managers make: they depend on lockfiles, not on the project's own sources. */
const DEPENDENCIES =
  /^(node_modules|bower_components|\.pnpm-store|\.pnp\..*|\.yarn|\.venv|venv|__pypackages__|.*\.egg-info|\.eggs|\.bundle|vendor|Pods|deps|\.m2|\.husky|_)$/;

/** Paths in a slot that git does not track, folders collapsed. */
async function madePaths(repo: Repo, inside: Inside): Promise<string[]> {
  const look = [
    'status',
    '--porcelain',
    '-z',
    '--untracked-files=normal',
    '--ignored=traditional',
    '--no-renames',
    '--ignore-submodules=all',
  ];
  const lines = (await git(repo, look, inside)).split('\0').filter((line) => line.startsWith('?? ') || line.startsWith('!! '));
  return outermost(lines.map((line) => line.slice(3).replace(/\/$/, '')).filter((path) => !LITTER.test(path)));
}

/** Of the paths that set-up made, those that may come from the project's own sources: they are right for one tree only. */
const fromSources = (paths: readonly string[]): string[] => paths.filter((path) => !DEPENDENCIES.test(basename(path)));

/** Of the paths that set-up made, those that git does not ignore: an agent may commit them by mistake. */
async function notIgnored(repo: Repo, inside: Inside, paths: readonly string[]): Promise<string[]> {
  const look = ['status', '--porcelain', '-z', '--untracked-files=normal', '--no-renames', '--ignore-submodules=all'];
  const untracked = new Set((await git(repo, look, inside)).split('\0').map((line) => line.slice(3).replace(/\/$/, '')));
  return paths.filter((path) => untracked.has(path));
}

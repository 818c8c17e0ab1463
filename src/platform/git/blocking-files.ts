import { type Dirent, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { FurrowError } from '../error.ts';
import type { Finished } from '../exec.ts';
import { quotedIfNeeded } from '../shell.ts';

/** A thing below `.git` that keeps git waiting. */
export interface Waiting {
  readonly path: string;
  /** As the end of a sentence. */
  readonly what: 'a named pipe' | 'a device' | 'far too large for a ref';
}

/** The thing and its harm, as a sentence. */
export const waitingText = ({ path, what }: Waiting): string =>
  `${path} is ${what}, ${what === 'far too large for a ref' ? 'and git reads all of it' : 'at which every git waits for ever'}`;

/** Folders below `.git` that are not looked at here: git reads no file there by itself, only we do, or another function looks at them. */
const ELSEWHERE = new Set(['modules', 'lfs', 'rr-cache', 'hooks', 'furrow.run', 'branches', 'objects', 'refs']);

/** A ref has 41 bytes. Git would read all of one with gigabytes. */
const LARGEST_REF = 1024 * 1024;

/** Git reads these too. All objects, and the repositories of submodules, are searched only when needed. */
const OBJECTS = ['objects/info', 'objects/pack'];
const DEEPER = ['objects', 'modules'];

/**
 * The files below `.git` that are a named pipe or a device, and refs of gigabytes: every git that reads one waits for ever, or reads
 * without an end. This opens nothing. `objects`: search the loose objects and submodules too.
 */
export function waitingFiles(gitDir: string, objects = false): Waiting[] {
  const more = objects ? DEEPER : OBJECTS;
  const refs = below(join(gitDir, 'refs'), { refs: true });
  return [...below(gitDir, { except: ELSEWHERE }), ...refs, ...more.flatMap((folder) => below(join(gitDir, folder)))];
}

function below(folder: string, { except, refs = false }: { except?: ReadonlySet<string>; refs?: boolean } = {}): Waiting[] {
  return entries(folder).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return except?.has(entry.name) ? [] : below(path, { refs });
    if (entry.isFile() && !refs) return [];
    return waitingAt(path, refs) ?? [];
  });
}

function waitingAt(path: string, ref: boolean): Waiting | undefined {
  const found = lookAt(path);
  if (ref && found?.isFile() && found.size > LARGEST_REF) return { path, what: 'far too large for a ref' };
  if (!found?.isFIFO() && !found?.isCharacterDevice() && !found?.isBlockDevice()) return undefined;
  return { path, what: found.isFIFO() ? 'a named pipe' : 'a device' };
}

function entries(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** A link counts as its destination: git follows it. */
function lookAt(path: string) {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/** No git of ours takes this long in a small repository; in a large one this costs a single useless look. */
const LOOK_MS = 2000;

/** The shorter time while such a file is known: a git that takes long is most probably waiting at it. */
const SOON_MS = 200;

/**
 * The file that was found last, by git folder, until it is gone. Without this, looks of 2 s each, one after the other, kept a daemon from
 * answering for minutes.
 */
const known = new Map<string, Waiting>();

function stillKnown(gitDir: string): Waiting | undefined {
  const before = known.get(gitDir);
  const now = before && waitingAt(before.path, before.path.startsWith(`${join(gitDir, 'refs')}/`));
  if (before && !now) known.delete(gitDir);
  return now;
}

/**
 * False for the branch of one agent or the git folder of one worktree, which only some gits read. All gits read any other file sooner or
 * later.
 */
const concernsAll = (gitDir: string, { path }: Waiting) =>
  !['refs/heads/furrow', 'logs/refs/heads/furrow', 'worktrees', 'modules'].some((folder) => path.startsWith(`${join(gitDir, folder)}/`));

/** After a look that found nothing there is no other for a second, and for this many times as long as it took. */
const REST_MS = 1000;
const REST = 20;

/**
 * The time until which the last such look at a git folder counts for every git. Without it 100 slow gits each searched all of it every 2 s,
 * and became slower.
 */
const nothing = new Map<string, number>();

function lookForAll(gitDir: string): Waiting | undefined {
  const begun = performance.now();
  if (begun < (nothing.get(gitDir) ?? 0)) return undefined;
  const [found] = waitingFiles(gitDir, true);
  const took = performance.now() - begun;
  if (!found) nothing.set(gitDir, begun + took + Math.max(REST_MS, REST * took));
  return found;
}

interface Running {
  readonly gitDir: string;
  /** The file known when this git started. */
  readonly before: Waiting | undefined;
  /**
   * The file that furrow or a person removed while this git ran. The git may have opened it before, and then waits for ever where no look
   * finds it.
   */
  left?: Waiting;
}

/** The gits that run, by the controller that ends each. */
const running = new Map<AbortController, Running>();

/** Call this with a file that was found and removed: gits that may wait at it are ended like those that still find it. */
export function leftWaiting(gitDir: string, found: Waiting): void {
  for (const one of running.values()) if (one.gitDir === gitDir) one.left = found;
}

/** Ends gits at our exit: one that waits at a pipe would outlive this process for ever. One that works may finish. */
function endAtExit(): void {
  for (const [ending, { gitDir, before, left }] of running) if (before || left || waitingFiles(gitDir, true).length > 0) ending.abort();
}

/** Runs a git, and ends it when it waits at such a file. It looks at `.git` only when git takes long. */
export async function unlessItWaits(
  gitDir: string,
  outer: AbortSignal | undefined,
  run: (signal: AbortSignal) => Promise<Finished>,
): Promise<Finished> {
  const before = stillKnown(gitDir);
  if (before && concernsAll(gitDir, before)) throw waitsAt(before);
  const ending = new AbortController();
  if (!process.listeners('exit').includes(endAtExit)) process.once('exit', endAtExit);
  const own: Running = { gitDir, before };
  if (gitDir !== '') running.set(ending, own);
  let found: Waiting | undefined;
  const look = setInterval(
    () => {
      if (before && !stillKnown(gitDir)) own.left ??= before;
      found = gitDir === '' ? undefined : (own.left ?? lookForAll(gitDir));
      if (!found) return;
      if (!own.left) known.set(gitDir, found);
      ending.abort();
    },
    before ? SOON_MS : LOOK_MS,
  );
  try {
    const done = await run(outer ? AbortSignal.any([outer, ending.signal]) : ending.signal);
    if (found && done.code === null) throw waitsAt(found);
    return done;
  } finally {
    clearInterval(look);
    running.delete(ending);
  }
}

const PIPE_IN_GIT = 'PIPE_IN_GIT';

const waitsAt = (found: Waiting) => new FurrowError(PIPE_IN_GIT, waitingText(found), { hint: `rm ${quotedIfNeeded(found.path)}` });

export const isWaiting = (error: Error): boolean => error instanceof FurrowError && error.code === PIPE_IN_GIT;

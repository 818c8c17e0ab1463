import { watch } from 'node:fs';
import { appendFile, type FileHandle, mkdir, open, realpath, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { FurrowError } from '../../platform/error.ts';
import type { Finished } from '../../platform/exec.ts';
import { git, type Repo } from '../../platform/git/run.ts';
import { killTree } from '../../platform/process/kill.ts';
import { execElsewhere } from '../../platform/starter/elsewhere.ts';
import { changedFiles, type InSlot, prepareSlot, type Slot } from './slot.ts';
import { type CacheTrust, OWN_TREE } from './slot-caches.ts';
import { cacheVariables, toolCaches } from './tool-caches.ts';

/** A check as configured. `id` hashes everything that could change its answer, so an edited check has no old verdicts. */
export interface CheckSpec {
  readonly id: string;
  readonly name: string;
  readonly run: string;
  readonly timeoutMs: number;
  readonly env: Readonly<Record<string, string>>;
  /** The folder that it runs in; the root if left out. */
  readonly dir?: string;
  /** All that it looks at; the whole tree if left out. */
  readonly paths?: readonly string[];
  /** Resources that it holds while it runs. */
  readonly needs?: readonly string[];
}

interface CheckOrder {
  /** The commit that would land, or the head. */
  readonly commit: string;
  /** The tree that the answer is about. */
  readonly tree: string;
  readonly check: CheckSpec;
  /** File that gets the output. */
  readonly log: string;
  /** Patterns of ignored files that stay in the slot from check to check. */
  readonly caches: readonly string[];
  /** Says which caches it may read; left out: only those of its own tree. */
  readonly trust?: CacheTrust;
  /** The whole environment, before the check's own. */
  readonly env: Readonly<Record<string, string>>;
  readonly setup?: SlotSetup;
  /** Called when the command is started: the slot is prepared by then. */
  readonly onStart?: () => void;
}

/** Gives a slot what a check needs beside its commit: installed dependencies. */
export interface SlotSetup {
  /** Untracked paths in the slot that the set-up of an earlier check made and that this commit may use. */
  keeps(): Promise<readonly string[]>;
  /** Called with the slot at the commit. Answers why set-up fails, if the tree is at fault. */
  into(inside: InSlot, signal: AbortSignal): Promise<string | undefined>;
}

interface CheckAnswer {
  readonly outcome: 'pass' | 'fail' | 'error';
  readonly ms: number;
  readonly detail: string | null;
}

const LOG_BYTES = 16 * 1024 * 1024;
const DISK_BYTES = 16 * 1024 * 1024;

/**
 * Runs one check on one tree. `fail` is the tree's fault; `error` is that of the machine or the configuration, and proves nothing. The tree
 * is verified before and after. Rejects when aborted, and when set-up fails here whatever the tree. In every case no process of the check
 * is left.
 */
export async function runCheck(repo: Repo, slot: Slot, order: CheckOrder, signal: AbortSignal): Promise<CheckAnswer> {
  signal.throwIfAborted();
  const took: Took = { from: performance.now() };
  const answer = await attempt(repo, slot, order, took, signal).catch((error: unknown): Omit<CheckAnswer, 'ms'> => {
    if (error instanceof FurrowError && error.code === 'SETUP_FAILED') throw error;
    return { outcome: 'error', detail: error instanceof Error ? error.message : String(error) };
  });
  signal.throwIfAborted();
  return { ...answer, ms: Math.round(took.ms ?? performance.now() - took.from) };
}

/** The time that the command ran. Waiting, set-up and the looks at the slot do not count. */
interface Took {
  readonly from: number;
  /** Undefined when it was not run. */
  ms?: number;
}

async function attempt(repo: Repo, slot: Slot, order: CheckOrder, took: Took, signal: AbortSignal): Promise<Omit<CheckAnswer, 'ms'>> {
  const trust = order.trust ?? OWN_TREE;
  const inside = await prepareSlot(repo, slot.path, order.commit, {
    ...(order.caches.length > 0 && { caches: { patterns: order.caches, tree: order.tree, trust } }),
    keep: (await order.setup?.keeps()) ?? [],
  });
  const failed = await order.setup?.into(inside, signal);
  if (failed) return { outcome: 'fail', detail: failed };
  // The code that prepared the slot has just verified that its files are those of the commit.
  const before = await movedFrom(repo, inside, order);
  if (before) return { outcome: 'error', detail: `the slot ${before} before the check ran` };
  const { check, env, log } = order;
  const cwd = await workingFolder(slot.path, check.dir);
  if (cwd === undefined) return { outcome: 'fail', detail: `the check ${check.name} runs in ${check.dir}, and there is no such folder` };
  await notePointers(log, inside.pointers);
  await noteEmpty(log, inside.empty);
  const write = await toolCaches(slot.path, order.tree, trust);
  order.onStart?.();
  const own = { ...env, ...cacheVariables(slot.path, write), ...check.env };
  const done = await runCommand(slot, { ...check, env: own, log, cwd, write }, signal);
  took.ms = done.ms;
  const after = await strayed(repo, inside, order);
  // Never a pass. The tree is at fault, unless the head does the same; then the head is red. Waiting for the machine would not help.
  if (after) return { outcome: 'fail', detail: `the check ${order.check.name} ${after}; a check must leave tracked files as they are` };
  return judge(done, order.check, slot.path);
}

/** A folder inside the slot; `undefined`: there is none, or a link leads elsewhere. */
async function workingFolder(slot: string, dir: string | undefined): Promise<string | undefined> {
  if (dir === undefined) return slot;
  const [root, folder] = await Promise.all([realpath(slot), realpath(join(slot, dir)).catch(() => undefined)]);
  const within = folder !== undefined && (folder === root || folder.startsWith(`${root}/`));
  return within && (await stat(folder)).isDirectory() ? folder : undefined;
}

/** Notes in the log that some files are pointers: a check that fails on one does not say so. */
async function notePointers(log: string, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return;
  await mkdir(dirname(log), { recursive: true, mode: 0o700 });
  const named = paths.length > 5 ? `${paths.slice(0, 5).join(', ')} and ${paths.length - 5} more` : paths.join(', ');
  await appendFile(log, `[furrow: only pointers, their content is not in .git/lfs: ${named}; get it with: git lfs fetch]\n`, {
    mode: 0o600,
  });
}

/** Does the same for submodules that the person's clone does not have. */
async function noteEmpty(log: string, empty: InSlot['empty']): Promise<void> {
  if (empty.length === 0) return;
  await mkdir(dirname(log), { recursive: true, mode: 0o700 });
  const lines = empty.map(({ path, why }) => `[furrow: the submodule ${path} is not filled: ${why}]\n`);
  await appendFile(log, lines.join(''), { mode: 0o600 });
}

async function movedFrom(repo: Repo, inside: InSlot, { commit, tree }: CheckOrder): Promise<string | undefined> {
  const at = await git(repo, ['rev-parse', 'HEAD', 'HEAD^{tree}'], { cwd: inside.cwd, env: { GIT_DIR: inside.env.GIT_DIR } });
  return at === `${commit}\n${tree}` ? undefined : 'moved to another commit';
}

/** The difference between the slot and the tree that the answer would be about. */
async function strayed(repo: Repo, inside: InSlot, order: CheckOrder): Promise<string | undefined> {
  const [moved, changed] = await Promise.all([movedFrom(repo, inside, order), changedFiles(repo, inside)]);
  if (moved) return moved;
  if (changed.length === 0) return undefined;
  return `changed ${changed.slice(0, 5).join(', ')}${changed.length > 5 ? ` and ${changed.length - 5} more` : ''}`;
}

/** A command line and its environment. */
interface Command {
  /** For messages. */
  readonly name: string;
  readonly run: string;
  readonly timeoutMs: number;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** File that gets the output. */
  readonly log: string;
  /** The folder it runs in; the slot if left out. */
  readonly cwd?: string;
  /** A folder beside the slot that it may write to. */
  readonly write?: string;
}

/** Runs a command in a slot, in its own group and jail. When this returns, every process that it started is gone, in any session. */
export async function runCommand(slot: Slot, command: Command, signal: AbortSignal): Promise<Finished & { readonly met?: string }> {
  await mkdir(dirname(command.log), { recursive: true, mode: 0o700 });
  const output = await open(command.log, 'a', 0o600);
  const stopBounding = bound(command.log, output);
  const limited = slot.limits?.();
  const done = await start(slot, command, { outputFd: output.fd, limits: limited?.argv ?? [] }, signal).then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  const { survivors } = await killTree({ root: undefined, marker: slot.marker }, 0);
  const met = limited?.ended();
  stopBounding();
  await cutTo(output, LOG_BYTES);
  await output.close();
  if ('error' in done) throw done.error;
  if (survivors.length > 0) throw new Error(`${survivors.length} processes of ${command.name} cannot be ended`);
  signal.throwIfAborted();
  return met ? { ...done.value, met } : done.value;
}

interface Starting {
  readonly outputFd: number;
  readonly limits: readonly string[];
}

async function start(slot: Slot, command: Command, { outputFd, limits }: Starting, signal: AbortSignal): Promise<Finished> {
  const cwd = command.cwd ?? slot.path;
  const own = { ...command.env, FURROW_RUN: slot.marker };
  const { argv, env } = (await slot.fence?.(own, { cwd, write: command.write })) ?? { argv: [], env: own };
  const [first, ...args] = [...limits, ...argv, ...slot.jail, 'sh', '-c', command.run];
  return execElsewhere([first!, ...args], { cwd, env, timeoutMs: command.timeoutMs, outputFd, signal });
}

/**
 * The child writes straight into the file, so that a process it leaves behind cannot keep us waiting on a pipe; too much output is dropped
 * here.
 */
function bound(log: string, output: FileHandle): () => void {
  let busy = false;
  const drop = async () => {
    if (busy) return;
    busy = true;
    if ((await output.stat()).size > LOG_BYTES) {
      await output.truncate(0);
      await output.write(`[furrow: ${LOG_BYTES} bytes of output were dropped here]\n`);
    }
    busy = false;
  };
  try {
    const watcher = watch(log, { persistent: false }, () => void drop().catch(() => {}));
    watcher.on('error', () => watcher.close());
    return () => watcher.close();
  } catch {
    // The system has no watches left: too much output is cut when the check ends.
    return () => {};
  }
}

async function cutTo(output: FileHandle, bytes: number): Promise<void> {
  if ((await output.stat()).size > bytes) await output.truncate(bytes);
}

/**
 * Judges the end of a command. A SIGKILL that is not ours means that the kernel is short of memory; 137 is the same seen through a shell or
 * a jail.
 */
async function judge(done: Finished & { readonly met?: string }, check: CheckSpec, path: string): Promise<Omit<CheckAnswer, 'ms'>> {
  if (done.timedOut) return { outcome: 'fail', detail: `timed out after ${spell(check.timeoutMs)}` };
  if (done.code === 0) return { outcome: 'pass', detail: null };
  // A limit that a person has set is no fault of the machine.
  if (done.met) return { outcome: 'fail', detail: `${check.name}: ${done.met}` };
  if (done.signal === 'SIGKILL' || done.code === 137)
    return { outcome: 'error', detail: `${check.name} was killed, perhaps for lack of memory` };
  const disk = await statfs(path);
  if (disk.bavail * disk.bsize < DISK_BYTES) return { outcome: 'error', detail: `the disk was full while ${check.name} ran` };
  return { outcome: 'fail', detail: done.signal ? `ended by ${done.signal}` : `exit ${done.code}` };
}

function spell(ms: number): string {
  if (ms % 60_000 === 0) return `${ms / 60_000}m`;
  return ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`;
}

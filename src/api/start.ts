import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { daemonOf } from '../platform/daemon-lock.ts';
import { FurrowError } from '../platform/error.ts';
import { checkMachine } from '../platform/machine.ts';
import { assertOwnState } from '../platform/own-state.ts';
import { makePlaces, placesOf } from '../platform/places.ts';
import { programFile } from '../platform/program.ts';
import { findRoot } from './place.ts';

const START_MS = 20_000;
/** Says to a daemon that the command which starts it trusts the repository as it is now. */
export const TRUST_FLAG = '--trust';
/** Says to a daemon that it leads the farm when nobody else does any more. */
export const STANDBY_FLAG = '--standby';
/** The daemon makes much short-lived garbage; V8 would let its nursery grow to 48 MB for that, and clears 3 MB as well. */
const MEMORY = ['--max-semi-space-size=1'];
/** One heap of the C library for all threads, where each would have its own: 109 MB instead of 117 after 20 tasks. */
export const ONE_HEAP = { MALLOC_ARENA_MAX: '1' };

interface StartOptions {
  /** The daemon's entry file, when it is not the one beside us. */
  readonly daemon?: string | undefined;
  readonly startMs?: number;
  /** The command trusts the repository as it is now. */
  readonly trust?: boolean;
}

/**
 * Starts a daemon and connects to it, or to the one that was faster: two that start at once agree by the lock, and the
 * loser ends with 0. A daemon that is just ending still has the lock, so losing without finding a winner means again.
 */
export async function startAndDial(
  root: string,
  dial: () => Promise<Socket | undefined>,
  { daemon = daemonEntry(), startMs = START_MS, trust = false }: StartOptions = {},
): Promise<Socket> {
  const log = await logFile(root);
  const until = Date.now() + startMs;
  while (Date.now() < patience(root, until, startMs)) {
    await startDaemon(root, [daemon, ...(trust ? [TRUST_FLAG] : [])], log, { until, startMs });
    for (const wait of [0, 10, 20, 50, 100, 200, 400, 800]) {
      await sleep(wait);
      const socket = await dial();
      if (socket) return socket;
    }
  }
  throw unanswered(root, startMs) ?? failed(`did not answer within ${startMs / 1000} s`, log);
}

/** The end of the wait, which moves on while a starting daemon gives signs of life. */
function patience(root: string, until: number, startMs: number): number {
  const sign = daemonOf(findRoot(root)?.gitDir ?? '')?.startingAt;
  return sign === undefined ? until : Math.max(until, sign + startMs);
}

/** A daemon that holds the lock and does not answer: somebody stopped it, or it hangs. */
function unanswered(root: string, ms: number): FurrowError | undefined {
  const daemon = daemonOf(findRoot(root)?.gitDir ?? '');
  if (!daemon) return undefined;
  const sentence = `the daemon (pid ${daemon.pid}) holds this repository's lock and has not answered on its socket for ${ms / 1000} s`;
  return new FurrowError('DAEMON_UNREACHABLE', sentence, { hint: `kill ${daemon.pid}, then the same command again; agents stay at work` });
}

/** The daemon's file beside this one: a source starts a source, a build starts a build. */
export const daemonEntry = (): string => programFile('daemon/main');

async function logFile(root: string): Promise<string> {
  // Without git, or with one too old, nobody can tell what is tracked.
  await checkMachine();
  await assertOwnState({ root, gitDir: findRoot(root)?.gitDir ?? join(root, '.git') });
  const places = placesOf(root);
  await makePlaces(places);
  return join(places.logs, 'daemon.log');
}

/** Resolves when the daemon listens, or has ended with 0 because another one does. */
async function startDaemon(
  root: string,
  [entry, ...flags]: readonly [string, ...string[]],
  log: string,
  { until, startMs }: { until: number; startMs: number },
): Promise<void> {
  const output = openSync(log, 'a', 0o600);
  const child = spawn(process.execPath, [...MEMORY, entry, '--repo', root, ...flags], {
    cwd: root,
    env: { ...ONE_HEAP, ...daemonEnvironment(process.env), ...keptCode() },
    detached: true,
    stdio: ['ignore', output, output, 'pipe'],
  });
  closeSync(output);
  const decided = new AbortController();
  try {
    const code = await Promise.race([
      ready(child, log),
      exited(child),
      tooLate(child, () => patience(root, until, startMs), decided.signal),
    ]);
    if (code === 'late') throw unanswered(root, startMs) ?? failed(`was not ready within ${startMs / 1000} s`, log);
    if (code !== 0) throw failed(`ended with ${code}`, log);
  } finally {
    decided.abort();
    (child.stdio[3] as Readable).destroy();
    child.removeAllListeners();
    child.unref();
  }
}

/** The daemon's compiled code is kept where this command keeps its own: each start takes 70 ms of processor time less, of 250. */
function keptCode(): { NODE_COMPILE_CACHE?: string } {
  const folder = process.getBuiltinModule('node:module').getCompileCacheDir();
  // Node keeps it in a folder below, named by its own version.
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}

/** 0 as soon as the daemon says `ready` on descriptor 3; what it says instead is its reason not to start. */
function ready(child: ChildProcess, log: string): Promise<0> {
  return new Promise((resolve, reject) => {
    let said = '';
    const pipe = child.stdio[3] as Readable;
    pipe.setEncoding('utf8');
    pipe.on('error', () => {});
    pipe.on('data', (chunk: string) => {
      said += chunk;
      if (!said.includes('\n')) return;
      if (said.startsWith('ready\n')) return resolve(0);
      const { error } = JSON.parse(said) as { error: { code: string; message: string; hint?: string } };
      reject(
        error.code === 'BUG'
          ? failed(`cannot start: ${error.message}`, log)
          : new FurrowError(error.code, error.message, { hint: error.hint }),
      );
    });
  });
}

/** Only after its pipe is read to the end, so that a reason given on it is heard first. */
function exited(child: ChildProcess): Promise<number | string> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'an unknown exit code'));
  });
}

/** Not once it is decided: whoever started a daemon and lives for longer than this would end it in the middle of its work. */
async function tooLate(child: ChildProcess, until: () => number, decided: AbortSignal): Promise<'late'> {
  for (let waitMs = until() - Date.now(); waitMs > 0 && !decided.aborted; waitMs = until() - Date.now())
    await sleep(waitMs, undefined, { ref: false, signal: decided }).catch(() => {});
  if (!decided.aborted) child.kill('SIGTERM');
  return 'late';
}

/**
 * The environment that the daemon inherits. It lacks the variables of an agent that happened to start it (the daemon would be found among
 * that agent's processes and ended with them), git's idea of the current folder, and those of our terminal.
 */
export function daemonEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const own =
    /^(FURROW_(AGENT|TASK|PHASE|ATTEMPT|BRANCH|BASE|PROMPT_FILE|REPO|RUN|DOOR|RELAUNCHED|TRUST)|GIT_(DIR|WORK_TREE|INDEX_FILE|PREFIX|COMMON_DIR|OBJECT_DIRECTORY|NAMESPACE)|TMUX|TMUX_PANE)$/;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !own.test(name)));
}

function failed(how: string, log: string): FurrowError {
  const last = lastLine(log);
  return new FurrowError('DAEMON_UNREACHABLE', `the daemon ${how}${last === '' ? '' : `; its log says: ${last}`}`, {
    hint: `furrow doctor, or read ${log}`,
  });
}

/** The last line that names an error: a crash of node ends with its version, which tells nobody anything. */
function lastLine(log: string): string {
  const lines = readFileSync(log, 'utf8').trimEnd().split('\n').slice(-50);
  return (lines.findLast((line) => /error/i.test(line) && !/^\s+at /.test(line)) ?? lines.at(-1) ?? '').trim().slice(0, 300);
}

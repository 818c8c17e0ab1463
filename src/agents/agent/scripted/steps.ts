import { spawn, spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { mix } from './random.ts';
import type { Step } from './script.ts';
import type { Witness } from './witness.ts';

export interface Stage {
  readonly task: string;
  readonly attempt: number;
  readonly witness: Witness;
  /** Paths that the next commit takes; what `dirty` leaves is not among them. */
  readonly touched: Set<string>;
  /** Resolves when it is on the terminal. */
  print(text: string): Promise<void>;
  /** Ends what takes time: a person has stopped the turn. */
  readonly signal?: AbortSignal;
}

/** Resolves when the terminal has taken it: a flood must wait for its reader like any program. */
const print = (text: string) => new Promise<void>((done) => process.stdout.write(text, () => done()));

export const stage = (task: string, attempt: number, witness: Witness): Stage => ({ task, attempt, witness, touched: new Set(), print });

/** Does one step. A number ends the attempt with that exit code. */
export async function perform(step: Step, on: Stage): Promise<number | undefined> {
  switch (step.do) {
    case 'write':
      return touch(on, step.path, () => writeFileSync(step.path, ended(step.text)));
    case 'append':
      return touch(on, step.path, () => append(step.path, step.text));
    case 'line':
      return touch(on, step.path, () => replaceLine(step.path, step.n, step.text));
    case 'delete':
      return touch(on, step.path, () => rmSync(step.path, { recursive: true, force: true }));
    case 'dirty':
      folderFor(step.path);
      return void writeFileSync(step.path, ended(step.text));
    case 'commit':
      return commit(step.text, on);
    case 'merge':
      return merge(step.text, on);
    case 'detach':
      mustGit('checkout', '--quiet', '--detach');
      await perform({ do: 'write', path: `detached-${on.task}.txt`, text: `by attempt ${on.attempt}` }, on);
      return commit(`${on.task}: on a detached head`, on);
    case 'random':
      return performAll(mix(step.seed, on.task, on.attempt), on);
    case 'say':
      return void (await on.print(`${step.text}\n`));
    case 'work':
      return work(step.n, on);
    case 'flood':
      return flood(step.n, on);
    case 'hang':
      for (;;) await waited(60_000, on.signal);
    case 'wait':
      return waitFor(step.path, on.signal);
    case 'progress':
    case 'ask':
      return tell(on, step.do, step.text);
    case 'furrow':
      return shell(on, `furrow ${step.text}`);
    case 'done':
      await tell(on, 'done', '--summary', step.text);
      return 0;
    case 'lie':
      await tell(on, 'done', '--summary', 'all of it is done');
      return 0;
    case 'blocked':
      await on.print(`${step.text}\n`);
      return 75;
    case 'fail':
      return step.n;
    case 'crash':
      process.kill(process.pid, 'SIGKILL');
      return new Promise(() => {});
    case 'ignore-signals':
      for (const name of ['SIGHUP', 'SIGTERM', 'SIGINT'] as const) process.on(name, () => {});
      return undefined;
    case 'fork':
      return leaveChildren(step.n);
    case 'permission':
    case 'question':
    case 'limit':
    case 'retry':
    case 'auth':
    case 'context':
    case 'turn':
    case 'usage':
      throw new Error(`${step.do}: only an agent with \`mode: window\` can do this`);
    default:
      return step satisfies never;
  }
}

export async function performAll(steps: readonly Step[], on: Stage): Promise<number | undefined> {
  for (const step of steps) {
    const exit = await perform(step, on);
    if (exit !== undefined) return exit;
  }
  return undefined;
}

const ended = (text: string) => (text === '' || text.endsWith('\n') ? text : `${text}\n`);
const folderFor = (path: string) => mkdirSync(dirname(path), { recursive: true });

function touch(on: Stage, path: string, change: () => void): undefined {
  folderFor(path);
  change();
  on.touched.add(path);
}

/** A line that exists is not added again: a second attempt continues from the commits of the first. */
function append(path: string, text: string): void {
  const before = existsSync(path) ? readFileSync(path, 'utf8') : '';
  if (!`\n${before}`.includes(`\n${ended(text)}`))
    appendFileSync(path, before === '' || before.endsWith('\n') ? ended(text) : `\n${ended(text)}`);
}

function replaceLine(path: string, n: number, text: string): void {
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
  while (lines.length < n) lines.push('');
  lines[n - 1] = text;
  writeFileSync(path, ended(lines.join('\n')));
}

/** Commits what was touched. Nothing to commit is no failure: the attempt before may have done it. */
function commit(message: string, on: Stage): undefined {
  for (const path of on.touched) git('add', '-A', '--', path);
  on.touched.clear();
  if (git('diff', '--cached', '--quiet').ok && !git('rev-parse', '--verify', '--quiet', 'MERGE_HEAD').ok) return;
  mustGit('commit', '--quiet', '--message', message);
  on.witness.committed(head());
}

function merge(ref: string, on: Stage): undefined {
  const before = head();
  const merged = git('merge', '--no-edit', '--quiet', resolveRef(ref));
  if (!merged.ok) {
    const paths = mustGit('diff', '--name-only', '--diff-filter=U', '-z').split('\0').filter(Boolean);
    if (paths.length === 0) throw new Error(`git merge failed: ${merged.out}`);
    for (const path of paths) {
      if (existsSync(path)) writeFileSync(path, union(readFileSync(path, 'utf8')));
      mustGit('add', '-A', '--', path);
    }
    mustGit('commit', '--quiet', '--no-edit');
  }
  if (head() !== before) on.witness.committed(head());
}

/** A timer keeps the event loop alive; a bare pending promise would let node exit with 13. */
const waited = (ms: number, signal: AbortSignal | undefined) => pause(ms, undefined, { ...(signal && { signal }) });

async function work(ms: number, on: Stage): Promise<undefined> {
  const end = performance.now() + ms;
  for (let n = 1; performance.now() < end; n++) {
    await waited(Math.min(250, end - performance.now()), on.signal);
    await on.print(`working (${n})\n`);
  }
}

/** Until the file is there. Its folder is watched from before the look, so that nothing comes between. */
function waitFor(path: string, signal: AbortSignal | undefined): Promise<undefined> {
  return new Promise((resolve, reject) => {
    const watcher = watch(dirname(path), { ...(signal && { signal }) }, look);
    const stopped = () => reject(signal!.reason);
    signal?.addEventListener('abort', stopped, { once: true });
    function look(): void {
      if (!existsSync(path)) return;
      signal?.removeEventListener('abort', stopped);
      watcher.close();
      resolve(undefined);
    }
    appendFileSync(`${path}.seen`, `${process.pid}\n`);
    look();
  });
}

async function flood(megabytes: number, on: Stage): Promise<undefined> {
  const chunk = `${'flood '.repeat(13)}\n`.repeat(832).slice(0, 65_536);
  for (let n = 0; n < megabytes * 16; n++) await on.print(chunk);
}

/** The farm may be gone or may refuse; that is said on the screen, and the work goes on. */
async function tell(on: Stage, ...words: string[]): Promise<undefined> {
  const done = spawnSync('furrow', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  if (done.status !== 0) await on.print(`furrow ${words[0]}: ${done.error?.message ?? done.stderr.trim()}\n`);
}

async function shell(on: Stage, line: string): Promise<undefined> {
  const done = spawnSync('sh', ['-c', line], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  await on.print(`${line}\n${done.stdout}${done.stderr}`);
}

/** Children that outlive the agent: one in a session of its own, one deaf to hang-ups, the rest plain. */
function leaveChildren(count: number): undefined {
  for (let n = 0; n < count; n++) {
    const argv = n === 1 ? ['nohup', 'sleep', '600'] : ['sleep', '600'];
    spawn(argv[0]!, argv.slice(1), { stdio: 'ignore', detached: n === 0 }).unref();
  }
}

/**
 * The agent's own git: it is an agent like any other, so it does not go through the daemon's. The identity is given
 * on the command line, because a fresh machine has none.
 */
function git(...args: string[]): { ok: boolean; out: string } {
  const config = ['user.name=scripted agent', 'user.email=scripted@furrow.invalid', 'commit.gpgSign=false', 'merge.conflictStyle=merge'];
  const done = spawnSync('git', [...config.flatMap((flag) => ['-c', flag]), ...args], { encoding: 'utf8', maxBuffer: 64 << 20 });
  if (done.error) throw done.error;
  return { ok: done.status === 0, out: (done.status === 0 ? done.stdout : done.stdout + done.stderr).trimEnd() };
}

function mustGit(...args: string[]): string {
  const { ok, out } = git(...args);
  if (!ok) throw new Error(`git ${args[0]} failed: ${out}`);
  return out;
}

const head = () => mustGit('rev-parse', 'HEAD');

/** `$target` in a script is the newest verified head of the target branch; before the first landing it is the base. */
function resolveRef(name: string): string {
  if (name !== '$target') return name;
  const verified = mustGit('for-each-ref', '--count=1', '--format=%(objectname)', 'refs/furrow/head/');
  return verified || process.env['FURROW_BASE'] || 'HEAD';
}

/** A conflicted file with both sides kept, ours first, and the markers gone. */
export function union(text: string): string {
  return text
    .split('\n')
    .filter((line) => !/^(<{7} .*|={7}|>{7} .*)$/.test(line))
    .join('\n');
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Client, connect } from '../../src/api/client.ts';
import type { FarmEvent } from '../../src/api/contract.ts';
import { exec, type Finished } from '../../src/platform/exec.ts';
import { assertNoLeak } from './processes.ts';
import { type Place, plainEnv, type TestRepo } from './repo.ts';
import { runWarm } from './warm/command.ts';
import { endWarm, startWarm } from './warm/daemon.ts';

export const BIN = fileURLToPath(new URL('../../bin/furrow.cjs', import.meta.url));

export interface Said {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
  // biome-ignore lint/suspicious/noExplicitAny: what a command prints is checked by the test that reads it.
  json(): any;
}

/** Runs the command line as a user in the repository would. */
export async function furrow(repo: Place, ...args: string[]): Promise<Said> {
  return furrowIn(repo, { cwd: repo.root }, ...args);
}

export interface SayOptions {
  readonly cwd?: string;
  readonly env?: Record<string, string>;
  readonly input?: string;
  readonly timeoutMs?: number;
}

export async function furrowIn(repo: Place, options: SayOptions, ...args: string[]): Promise<Said> {
  const { cwd = repo.root, timeoutMs = 120_000, input } = options;
  const env = { ...plainEnv(repo), ...options.env };
  const begun = performance.now();
  if (isOrdinary(repo, options)) {
    await startWarm(repo, args);
    const done = await runWarm({ args, cwd, env }, timeoutMs);
    if (done) return said(args, { ...done, ms: performance.now() - begun });
  }
  return said(
    args,
    await exec([process.execPath, repo.bin ?? BIN, ...args], { cwd, env, timeoutMs, ...(input !== undefined && { input }) }),
  );
}

/** Put into `repo.env`: every daemon and command of that repository is a process of its own, also in the quick run. */
export const COLD = { NODE_OPTIONS: '' };

/** Variables that a program reads once, when its code is loaded. */
const READ_ONCE = ['FURROW_FAULT', 'NODE_OPTIONS', 'PATH'];

/** What a process does as well that has done something else before. */
const isOrdinary = (repo: Place, { env, input }: SayOptions) =>
  repo.bin === undefined && env === undefined && input === undefined && !READ_ONCE.some((name) => name in repo.env);

function said(args: string[], done: Pick<Finished, 'code' | 'stdout' | 'stderr' | 'ms'>): Said {
  const json = () => {
    try {
      return JSON.parse(done.stdout);
    } catch {
      throw new Error(`furrow ${args.join(' ')} (exit ${done.code}) printed no JSON:\n${done.stdout}\n${done.stderr}`);
    }
  };
  return { code: done.code, stdout: done.stdout, stderr: done.stderr, ms: done.ms, json };
}

/** A command that runs on while the test does something else, and the process to send signals to. */
export interface Begun {
  readonly pid: number;
  readonly ended: Promise<{ code: number | null; stdout: string; stderr: string }>;
  /** Resolves as soon as the command has said this on stderr. */
  said(text: string): Promise<void>;
  /** The same of stdout. */
  printed(text: string): Promise<void>;
}

export function begin(repo: Place, ...args: string[]): Begun {
  const child = spawn(process.execPath, [repo.bin ?? BIN, ...args], {
    cwd: repo.root,
    env: plainEnv(repo),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = once(child, 'close').then(([code]) => ({ code, stdout, stderr }));
  const until = async (text: string, stream: Readable, all: () => string) => {
    while (!all().includes(text)) {
      const over = await Promise.race([once(stream, 'data').then(() => false), ended.then(() => true)]);
      if (over && !all().includes(text)) throw new Error(`furrow ${args.join(' ')} ended without ${text}:\n${stderr}`);
    }
  };
  const said = (text: string) => until(text, child.stderr, () => stderr);
  const printed = (text: string) => until(text, child.stdout, () => stdout);
  return { pid: child.pid!, ended, said, printed };
}

export interface TestFarm extends AsyncDisposable {
  furrow(...args: string[]): Promise<Said>;
  /** Runs a command that must succeed, and hands back its JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  ask(...args: string[]): Promise<any>;
  events(...args: string[]): Promise<FarmEvent[]>;
}

/** A farm that is stopped when the test ends, and then must have left no process and no socket. */
export function farm(repo: TestRepo): TestFarm {
  const run = (...args: string[]) => furrow(repo, ...args);
  return {
    furrow: run,
    ask: async (...args) => {
      const known = await bySocket(repo, args);
      if (known !== undefined) return known;
      const done = await run(...args, '--json');
      if (done.code !== 0) throw new Error(`furrow ${args.join(' ')}: exit ${done.code}\n${done.stderr}`);
      return done.json();
    },
    events: async (...args) => (await eventsBySocket(repo, args)) ?? parseEvents((await run('log', '--json', ...args)).stdout),
    [Symbol.asyncDispose]: async () => {
      if (!(await endWarm(repo, () => askToStop(repo))) && !(await stopBySocket(repo))) await run('stop', '--all', '--now');
      await assertNoLeak(repo.base);
    },
  };
}

type Question = (client: Client, ...words: string[]) => Promise<unknown>;

/** Commands whose JSON is the answer of one call, as it is. */
const CALLS: Readonly<Record<string, Question>> = {
  status: (client) => client.call('status', {}),
  list: async (client) => (await client.call('list', {})).tasks,
  queue: (client) => client.call('queue', {}),
  show: (client, task) => client.call('show', { task: task! }),
  why: (client, subject) => client.call('why', { subject: subject! }),
};

/**
 * The answer of a running daemon, without a process for the question: tests ask thousands of times, mostly to wait for something, and a
 * command costs 150 ms of processor time. `undefined`: the command itself has to answer, for instance because no daemon runs.
 */
async function bySocket(repo: Place, [command, ...words]: string[]): Promise<unknown> {
  const question = Object.hasOwn(CALLS, command!) ? CALLS[command!]! : undefined;
  if (!question || words.length !== question.length - 1 || words.some((word) => word.startsWith('-'))) return undefined;
  return withDaemon(repo, (client) => question(client, ...words));
}

/** What `furrow log --json` prints; tests that wait for an event ask ten times a second. */
async function eventsBySocket(repo: Place, [option, value]: string[]): Promise<FarmEvent[] | undefined> {
  if (option !== undefined && option !== '--task') return undefined;
  return withDaemon(repo, async (client) => {
    const found: FarmEvent[] = [];
    await client.stream('log', option === '--task' ? { task: value! } : {}, (event) => found.push(event));
    return found;
  });
}

/** Asks for what `furrow stop --all --now` does, and answers the pid of the daemon that ends then. */
async function askToStop(repo: Place): Promise<number | undefined> {
  return withDaemon(repo, async (client) => {
    const farm = await client.call('ping', {});
    await client.call('stop', { all: true, now: true });
    await client.hungUp();
    return farm.pid;
  });
}

/** False: there is no daemon, and the command has to look for what is left of one. */
async function stopBySocket(repo: Place): Promise<boolean> {
  const pid = await askToStop(repo);
  if (pid !== undefined) await ended(pid);
  return pid !== undefined;
}

async function withDaemon<T>(repo: Place, ask: (client: Client) => Promise<T>): Promise<T | undefined> {
  try {
    const client = await connect(repo.root, { start: false, trust: plainEnv(repo)['FURROW_TRUST'] === '1' });
    return await ask(client).finally(() => client.close());
  } catch {
    return undefined;
  }
}

export const parseEvents = (text: string): FarmEvent[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as FarmEvent);

/** The environment of an agent's process, with the mark by which the daemon knows it for one of that attempt. */
export async function agentEnv(
  repo: TestRepo,
  id: number,
  who: { agent: string; task: string; attempt: number },
): Promise<Record<string, string>> {
  const { id: farm } = JSON.parse(await readFile(join(repo.root, '.git/furrow.run/farm.json'), 'utf8')) as { id: string };
  const { agent, task, attempt } = who;
  return {
    FURROW_RUN: `${farm}.a${id}`,
    FURROW_AGENT: agent,
    FURROW_TASK: task,
    FURROW_PHASE: 'default',
    FURROW_ATTEMPT: String(attempt),
  };
}

/** Kills a farm's daemon with -9, and waits until it is dead: until then it may still take a call and never answer it. */
export async function killDaemon(running: Pick<TestFarm, 'ask'>): Promise<void> {
  const { pid } = (await running.ask('status')).farm;
  process.kill(pid, 'SIGKILL');
  await ended(pid);
}

async function ended(pid: number): Promise<void> {
  while (isEnding(pid)) await pause(5);
}

/** Also while its last thread is on its way out: until that is a zombie, the kernel lets clients connect to its socket. */
function isEnding(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2)) || readdirSync(`/proc/${pid}/task`).length > 1;
  } catch {
    return false;
  }
}

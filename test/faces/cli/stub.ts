import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Reply, Request } from '../../../src/api/contract.ts';
import { socketPath } from '../../../src/api/place.ts';
import { BIN } from '../../support/farm.ts';

export interface TestRepository extends AsyncDisposable {
  readonly root: string;
}

/** A real repository with one commit, gone when the test ends. */
export async function repository(): Promise<TestRepository> {
  // One folder down: what the farm keeps beside the repository goes with it.
  const base = folder();
  const root = join(base, 'repo');
  mkdirSync(root);
  git(root, 'init', '--quiet', '-b', 'main', '.');
  git(root, '-c', 'user.name=Test', '-c', 'user.email=test@example.org', 'commit', '--quiet', '--allow-empty', '-m', 'start');
  return { root, [Symbol.asyncDispose]: async () => rmSync(base, { recursive: true, force: true }) };
}

/** The user's git, as a user calls it. */
export function git(cwd: string, ...words: string[]): void {
  execFileSync('git', words, { cwd, env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null' }, stdio: 'pipe' });
}

export function folder(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), 'furrow-cli-')));
}

export interface Farm extends AsyncDisposable {
  readonly asked: Request[];
  /** Hangs up on everybody, as a killed daemon does, and goes on listening. */
  hangUp(): void;
}

/** Speaks the wire format on the repository's socket; `answer` gets each request and may reply to it, now or never; a string is sent as it is. */
export async function farmAt(root: string, answer: (request: Request, reply: (reply: Reply | string) => void) => void): Promise<Farm> {
  const path = socketPath(root);
  mkdirSync(dirname(path), { recursive: true });
  chmodSync(dirname(path), 0o700);
  const asked: Request[] = [];
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    let rest = '';
    socket.setEncoding('utf8').on('error', () => {});
    socket.on('close', () => open.delete(socket));
    socket.on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const request = JSON.parse(line) as Request;
        asked.push(request);
        answer(request, (reply) => socket.write(`${typeof reply === 'string' ? reply : JSON.stringify(reply)}\n`));
      }
    });
  });
  await new Promise<void>((done) => server.listen(path, done));
  const hangUp = () => {
    for (const socket of open) socket.destroy();
  };
  const close = async () => {
    hangUp();
    await new Promise((done) => server.close(done));
  };
  return { asked, hangUp, [Symbol.asyncDispose]: close };
}

/** A farm that gives each call its fixed result. */
export function farmWith(root: string, results: Record<string, unknown>): Promise<Farm> {
  return farmAt(root, ({ id, call }, reply) =>
    reply(
      call in results ? { id, result: results[call] } : { id, error: { code: 'NO_TASK', message: `no ${call} here`, hint: 'furrow list' } },
    ),
  );
}

export const emptyStatus = {
  farm: { state: 'running', stopped: null, pid: 7, version: '0.1.0' },
  agents: [],
  tasks: { ready: 1, landed: 1 },
  target: 'main',
  queue: {
    target: 'main',
    depth: 0,
    checking: 0,
    setups: 0,
    head: null,
    published: null,
    waiting: null,
    draining: null,
    hanging: [],
    paused: false,
    halted: null,
    pending: [] as string[],
  },
  config: { source: 'target', commit: null, since: '2030-01-01T00:00:00Z', differs: null },
  isolation: { level: 'guard', why: null },
  attention: [],
  inbox: 0,
  cost: { usd: 0, tokens: 0 },
} as const;

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly node?: string;
  readonly file?: string;
  readonly onStderr?: (text: string, pid: number) => void;
}

/** Runs the command line as a process of its own. */
export function furrow(words: readonly string[], options: RunOptions): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, ...options.env };
    const child = spawn(options.node ?? process.execPath, [options.file ?? BIN, ...words], {
      cwd: options.cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
      options.onStderr?.(text, child.pid!);
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}

import { fileURLToPath } from 'node:url';
import type { FarmEvent } from '../../src/api/contract.ts';
import { exec, type Finished } from '../../src/platform/exec.ts';
import { assertNoLeak } from './processes.ts';
import { plainEnv, type TestRepo } from './repo.ts';

export const BIN = fileURLToPath(new URL('../../bin/furrow.cjs', import.meta.url));

export interface Said {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
  // biome-ignore lint/suspicious/noExplicitAny: what a command prints is checked by the test that reads it.
  json(): any;
}

type Place = Pick<TestRepo, 'root' | 'home' | 'env'>;

/** Runs the command line as a user in the repository would, as a process of its own. */
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
  const done = await exec([process.execPath, BIN, ...args], {
    cwd: options.cwd ?? repo.root,
    env: { ...plainEnv(repo), ...options.env },
    timeoutMs: options.timeoutMs ?? 120_000,
    ...(options.input !== undefined && { input: options.input }),
  });
  return said(args, done);
}

function said(args: string[], done: Finished): Said {
  const json = () => {
    try {
      return JSON.parse(done.stdout);
    } catch {
      throw new Error(`furrow ${args.join(' ')} (exit ${done.code}) printed no JSON:\n${done.stdout}\n${done.stderr}`);
    }
  };
  return { code: done.code, stdout: done.stdout, stderr: done.stderr, ms: done.ms, json };
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
      const done = await run(...args, '--json');
      if (done.code !== 0) throw new Error(`furrow ${args.join(' ')}: exit ${done.code}\n${done.stderr}`);
      return done.json();
    },
    events: async (...args) => parseEvents((await run('log', '--json', ...args)).stdout),
    [Symbol.asyncDispose]: async () => {
      await run('stop', '--all', '--now');
      await assertNoLeak(repo.base);
    },
  };
}

export const parseEvents = (text: string): FarmEvent[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as FarmEvent);

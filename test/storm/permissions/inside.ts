import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Policy } from '../../../src/agents/agent/permission/policy.ts';
import { brokenPromise, ENV, makeWorld, REPO, resetWorld, TREE, type World } from './world.ts';

/** Runs inside the jail: each line is judged by the rules, and those that they allow are run. */
export interface Task {
  /** The folder whose `src` has the rules: of the product, or of a mutant. */
  readonly root: string;
  readonly world: World;
  readonly shell: 'bash' | 'zsh';
  readonly lines: readonly string[];
}

export interface Found {
  readonly allowed: number;
  readonly asked: number;
  readonly denied: number;
  readonly violations: readonly { readonly line: string; readonly promise: string; readonly before: readonly string[] }[];
}

const POLICY: Policy = {
  mode: 'act',
  rules: [{ do: 'deny', tool: 'edit', path: 'docs/deny/**' }],
  checks: ['npm test'],
  protect: ['board'],
  leases: [{ holder: 'bob', pattern: 'held/**', until: null }],
  own: [],
};

/** So many lines go on where the one before ended, as those of an agent do. */
const CHAIN = 25;
const MOST_MS = 5000;

/** Extended globs are what a person's own settings may have switched on. */
const SHELLS = { bash: ['bash', '--norc', '--noprofile', '-c'], zsh: ['zsh', '-f', '-o', 'extendedglob', '-c'] } as const;

async function main(task: Task): Promise<Found> {
  const rules = (path: string) => import(join(task.root, 'src', path)) as Promise<never>;
  const { decide } = (await rules('agents/agent/permission/decide.ts')) as typeof import('../../../src/agents/agent/permission/decide.ts');
  const { fileLook } = (await rules(
    'daemon/host/agents/permission-policy.ts',
  )) as typeof import('../../../src/daemon/host/agents/permission-policy.ts');
  const { ownHooks } = (await rules('repo/worktree/hooks-changed.ts')) as typeof import('../../../src/repo/worktree/hooks-changed.ts');
  const base = makeWorld(task.world);
  const repo = { root: REPO, gitDir: join(REPO, '.git') };
  const counts = { allow: 0, ask: 0, deny: 0 };
  const violations: Found['violations'][number][] = [];
  let before: string[] = [];
  for (const line of task.lines) {
    const hooks = await ownHooks(repo, TREE, base);
    const tool = { name: 'Bash', action: 'run', command: line, paths: [], input: {} } as const;
    const verdict = decide({ tool, worktree: TREE, look: fileLook, hooks }, POLICY);
    counts[verdict.do]++;
    if (verdict.do !== 'allow') continue;
    const promise = brokenPromise(run(line, task.shell), task.world);
    if (promise !== undefined) violations.push({ line, promise, before });
    before.push(line);
    if (promise === undefined && before.length < CHAIN) continue;
    resetWorld();
    before = [];
  }
  return { allowed: counts.allow, asked: counts.ask, denied: counts.deny, violations };
}

function run(line: string, shell: Task['shell']): string {
  const [program, ...args] = SHELLS[shell];
  const done = spawnSync(`/bin/${program}`, [...args, line], {
    cwd: TREE,
    env: ENV,
    encoding: 'utf8',
    timeout: MOST_MS,
    killSignal: 'SIGKILL',
    maxBuffer: 1 << 24,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return `${done.stdout}\n${done.stderr}`;
}

process.stdout.write(JSON.stringify(await main(JSON.parse(readFileSync(0, 'utf8')) as Task)));

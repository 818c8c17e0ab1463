import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { identify } from '../../../src/platform/process/identity.ts';
import { jailPrefix, type KillMethod } from '../../../src/platform/process/jail.ts';
import { killTree, type Tree } from '../../../src/platform/process/kill.ts';

/** Shell scripts that say `ready` once each of their processes stands where it wants to, and end by themselves after a minute. */
export const nasties: Record<string, { script: string; readies: number }> = {
  'a shell that traps HUP, INT and TERM': { script: 'trap "" HUP INT TERM; echo ready; sleep 60; sleep 60', readies: 1 },
  'a nohup child': { script: 'nohup sh -c "echo ready; exec sleep 60" 2>/dev/null & wait', readies: 1 },
  'a setsid child that traps TERM': { script: 'setsid sh -c "trap \\"\\" HUP TERM; echo ready; sleep 60" & wait', readies: 1 },
  'a double fork': { script: '(setsid sh -c "sh -c \\"echo ready; exec sleep 60\\" &" &); exec sleep 60', readies: 1 },
  'a child without environment': { script: 'env -i /bin/sh -c "trap \\"\\" TERM; echo ready; sleep 60" & wait', readies: 1 },
  'a stopped child': { script: 'sh -c "echo ready; kill -STOP \\$\\$; sleep 60" & wait', readies: 1 },
  'a storm of 100 forks': {
    // Each link of the chain leaves its session, starts the next and ignores TERM.
    script: 'export N=100 L=\'trap "" TERM HUP; N=$((N-1)); [ $N -gt 0 ] && setsid sh -c "$L" & echo ready; sleep 60\'; sh -c "$L"',
    readies: 3,
  },
};

export interface Started extends AsyncDisposable {
  readonly child: ChildProcess;
  readonly tree: Tree;
  readonly output: () => string;
}

/** Runs a script as an attempt would be: marked, and behind the prefix of the kill method. Gone when the test ends. */
export async function start(method: KillMethod, script: string, readies = 1): Promise<Started> {
  const marker = `test-${randomUUID()}`;
  const [command, ...args] = [...jailPrefix(method, marker), '/bin/sh', '-c', script];
  const child = spawn(command!, args, { env: { PATH: process.env['PATH'], FURROW_RUN: marker }, stdio: ['ignore', 'pipe', 'ignore'] });
  const tree = { root: identify(child.pid!), marker };
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  while (output.split('ready').length <= readies) await once(child.stdout, 'data');
  return { child, tree, output: () => output, [Symbol.asyncDispose]: async () => void (await killTree(tree, 0)) };
}

export function sleeper(name: string, env: Record<string, string> = {}): ChildProcess & Disposable {
  const child = spawn('sleep', ['60'], { argv0: name, env: { PATH: process.env['PATH'], ...env }, stdio: 'ignore' });
  return Object.assign(child, { [Symbol.dispose]: () => void child.kill('SIGKILL') });
}

import { spawn, spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Found, Task } from './inside.ts';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');

/** Nothing of this machine but its programs and the rules, no network, and a world that is gone with the last process. */
function jail(root: string): string[] {
  const system = ['/usr', '/bin', '/lib', '/lib64', '/etc'].flatMap((folder) => ['--ro-bind-try', folder, folder]);
  const own = [...new Set([ROOT, root, dirname(process.execPath)])].flatMap((folder) => ['--ro-bind', folder, folder]);
  return [
    'bwrap',
    '--unshare-all',
    '--die-with-parent',
    '--cap-drop',
    'ALL',
    '--tmpfs',
    '/',
    ...system,
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    '--tmpfs',
    '/tmp',
    ...own,
    '--dir',
    '/w',
    '--chdir',
    '/w',
    '--clearenv',
  ];
}

/** Without one of these no line can be run. */
export function missing(): string | undefined {
  const [program, ...args] = jail(ROOT);
  if (spawnSync(program!, [...args, '--', '/usr/bin/git', '--version']).status !== 0) return 'bubblewrap with git';
  return ['bash', 'zsh'].find((shell) => spawnSync(`/bin/${shell}`, ['-c', 'true']).status !== 0);
}

/** Judges and runs lines in a world of their own. */
export async function runInJail(task: Task): Promise<Found> {
  const [program, ...args] = jail(task.root);
  const inside = fileURLToPath(new URL('inside.ts', import.meta.url));
  const child = spawn(program!, [...args, '--', process.execPath, inside], { stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.end(JSON.stringify(task));
  const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (out === '') throw new Error(`the jail ended without an answer: ${errors}`);
  return JSON.parse(out) as Found;
}

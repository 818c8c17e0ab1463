import { randomUUID } from 'node:crypto';
import { spawnPiped } from '../exec.ts';
import { cgroupFolder, killCgroup } from './cgroup.ts';
import { killTree } from './kill.ts';

/**
 * The ways to end a tree. `pidns`: it dies with one process. `cgroup`: one write kills it. `marker`: its processes are found by their
 * environment.
 */
export type KillMethod = 'pidns' | 'cgroup' | 'marker';

/**
 * The first process of the new namespace. The kernel ignores TERM for it unless it has a handler, so it is this shell and not the command.
 */
const FIRST = ['/bin/sh', '-c', '"$@"; exit $?', 'sh'];

/**
 * The argv in front of an agent's command with which the whole tree can be ended at once; [] for 'marker'. `name` is the tree's marker, by
 * which `killTree` finds the cgroup. unshare itself ignores TERM and INT, so a graceful end reaches the command first; it passes on the
 * command's exit code (128+n for a signal).
 */
export function jailPrefix(method: KillMethod, name: string): string[] {
  switch (method) {
    case 'pidns': {
      const user = process.getuid?.() === 0 ? [] : ['--user', '--map-current-user'];
      return ['unshare', ...user, '--pid', '--fork', '--kill-child=SIGKILL', '--mount-proc', '--', ...FIRST];
    }
    case 'cgroup': {
      const folder = cgroupFolder(name);
      if (folder === undefined) return [];
      return ['/bin/sh', '-c', 'mkdir -p "$0" && echo $$ > "$0/cgroup.procs" || exit 126; exec "$@"', folder];
    }
    case 'marker':
      return [];
    default:
      return method satisfies never;
  }
}

/**
 * Finds the method that works here by trying: a process that left its session and ignores HUP must die with its jail. Costs some 50 ms; the
 * daemon asks once.
 */
export async function findKillMethod(): Promise<KillMethod> {
  if (process.platform !== 'linux') return 'marker';
  if (await leavesNobody('pidns', (_name, kill) => kill())) return 'pidns';
  if (await leavesNobody('cgroup', (name) => killCgroup(name))) return 'cgroup';
  return 'marker';
}

const STRAY = 'setsid nohup sh -c "echo ready; exec sleep 60" 2>/dev/null & wait';

/** True when nobody survives. The stray process holds our pipe open, so the pipe ends when it has died. */
async function leavesNobody(method: KillMethod, end: (name: string, killChild: () => boolean) => void): Promise<boolean> {
  const name = `probe-${randomUUID()}`;
  const [command, ...args] = [...jailPrefix(method, name), 'sh', '-c', STRAY];
  const child = spawnPiped([command!, ...args], { env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', FURROW_RUN: name } });
  const closed = new Promise<true>((done) => child.once('close', () => done(true)));
  const timeout = new Promise<false>((done) => setTimeout(() => done(false), 5000).unref());
  const ready = new Promise<true>((done) => child.stdout!.once('data', () => done(true)));
  child.once('error', () => {});
  try {
    if (!(await Promise.race([ready, closed.then(() => false), timeout]))) return false;
    end(name, () => child.kill('SIGKILL'));
    return await Promise.race([closed, timeout]);
  } finally {
    await killTree({ root: undefined, marker: name }, 0);
  }
}

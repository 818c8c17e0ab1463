import { readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of the cgroup that holds the tree with this marker; `undefined` where there is no cgroup v2. */
export function cgroupFolder(marker: string): string | undefined {
  if (process.platform !== 'linux') return undefined;
  const home = ownFolder(read('/proc/self/mountinfo'), read('/proc/self/cgroup'));
  return home && join(home, `furrow-${marker.replaceAll(/[^\w.-]/g, '_')}`);
}

/** Our own folder in the v2 hierarchy. A hybrid system mounts that at /sys/fs/cgroup/unified, not above it. */
export function ownFolder(mountinfo: string, cgroup: string): string | undefined {
  const mount = mountinfo.split('\n').find((line) => / - cgroup2 /.test(line));
  const path = /^0::(.*)$/m.exec(cgroup)?.[1];
  const [, , , root, at] = mount?.split(' ') ?? [];
  if (path === undefined || root === undefined || at === undefined) return undefined;
  // In a container the mount shows a part of the hierarchy: nothing above its root is there.
  return join(at, root !== '/' && path.startsWith(root) ? path.slice(root.length) : path);
}

export function cgroupMembers(marker: string): number[] {
  const folder = cgroupFolder(marker);
  const lines = folder ? read(join(folder, 'cgroup.procs')).split('\n') : [];
  return lines.filter(Boolean).map(Number);
}

/** Sends SIGKILL to every member at one instant, also to those being forked. False where there is no such cgroup. */
export function killCgroup(marker: string): boolean {
  const folder = cgroupFolder(marker);
  return folder !== undefined && succeeds(() => writeFileSync(join(folder, 'cgroup.kill'), '1', { flag: 'r+' }));
}

/** Removes the cgroup; the kernel refuses while anything lives in it. */
export function removeCgroup(marker: string): void {
  const folder = cgroupFolder(marker);
  if (folder) succeeds(() => rmdirSync(folder));
}

/** Runs `act`; false when the kernel refused. */
export function succeeds(act: () => void): boolean {
  try {
    act();
    return true;
  } catch {
    return false;
  }
}

/** The content of a file; empty when it cannot be read. */
export function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

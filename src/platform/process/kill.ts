import { setTimeout } from 'node:timers/promises';
import { cgroupMembers, killCgroup, removeCgroup } from './cgroup.ts';
import { isAlive, type ProcessId, signalProcess } from './identity.ts';
import { descendants, marked, type Proc, snapshot } from './table.ts';

export interface Tree {
  readonly root: ProcessId | undefined;
  readonly marker: string;
}

/** The longest wait for SIGKILL to work. A process that outlives it is stuck in the kernel (state D), or we may not signal it. */
const KILL_MS = 5000;

/** The most rounds. 400 processes that forked and changed sessions stood still after 3. */
const FREEZE_ROUNDS = 10;

/**
 * Ends a whole tree: TERM to every member, `graceMs` for all of them to end (0: no TERM), then STOP, rescan and KILL until two scans find
 * nobody. Members are the root, the processes with the marker or in the marker's cgroup, all descendants of these, and every process seen
 * as a member before. It never signals anything else, nor ourselves.
 */
export async function killTree(tree: Tree, graceMs: number): Promise<{ killed: number; survivors: Proc[] }> {
  const seen: Seen = new Map();
  if (graceMs > 0) await askToEnd(tree, seen, performance.now() + graceMs);
  const survivors = await makeEnd(tree, seen, performance.now() + KILL_MS);
  if (survivors.length === 0) removeCgroup(tree.marker);
  return { killed: seen.size - survivors.length, survivors };
}

type Seen = Map<string, ProcessId>;
const key = (id: ProcessId) => `${id.pid} ${id.start}`;

async function askToEnd(tree: Tree, seen: Seen, until: number): Promise<void> {
  const asked = new Set<string>();
  while (performance.now() < until) {
    const alive = await members(tree, seen);
    if (alive.length === 0) return;
    for (const member of alive.filter((p) => !asked.has(key(p)))) {
      asked.add(key(member));
      signalProcess(member, 'SIGTERM');
      // A stopped process handles TERM only once it continues.
      if (member.state === 'T') signalProcess(member, 'SIGCONT');
    }
    await gone(alive, until);
  }
}

async function makeEnd(tree: Tree, seen: Seen, until: number): Promise<Proc[]> {
  let alive: Proc[] = [];
  for (let clean = 0; clean < 2; ) {
    alive = await freeze(tree, seen);
    if (alive.length > 0 && performance.now() >= until) return alive;
    clean = alive.length === 0 ? clean + 1 : 0;
    if (alive.length > 0) killCgroup(tree.marker);
    for (const member of alive) signalProcess(member, 'SIGKILL');
    // One millisecond between two clean scans: a process in the middle of exec shows no environment.
    await (alive.length > 0 ? gone(alive, until) : setTimeout(1));
  }
  return alive;
}

/** Stops members until a scan finds nobody new: a stopped process cannot fork a child that the next KILL would miss. */
async function freeze(tree: Tree, seen: Seen): Promise<Proc[]> {
  const stopped = new Set<string>();
  let alive = await members(tree, seen);
  for (let round = 0; round < FREEZE_ROUNDS && alive.some((p) => !stopped.has(key(p))); round++) {
    for (const member of alive.filter((p) => !stopped.has(key(p)))) {
      stopped.add(key(member));
      signalProcess(member, 'SIGSTOP');
    }
    alive = await members(tree, seen);
  }
  return alive;
}

async function members(tree: Tree, seen: Seen): Promise<Proc[]> {
  const now = await snapshot();
  const byPid = new Map(now.table.map((p) => [p.pid, p]));
  const known = [...(tree.root ? [tree.root] : []), ...seen.values()].filter((id) => byPid.get(id.pid)?.start === id.start);
  const pids = [...known, ...marked(now, tree.marker)].map((p) => p.pid).concat(cgroupMembers(tree.marker));
  const heads = new Set(pids.filter((pid) => pid > 1 && pid !== process.pid));
  for (const below of descendants(now.table, [...heads], process.pid)) heads.add(below.pid);
  const found = [...heads].flatMap((pid) => byPid.get(pid) ?? []);
  for (const member of found) seen.set(key(member), member);
  return found;
}

/** Waits until all have ended. No event tells the end of a process that is not our child, so this looks, ever less often. */
async function gone(procs: readonly Proc[], until: number): Promise<void> {
  for (let pause = 2; procs.some(isAlive) && performance.now() < until; pause = Math.min(pause * 2, 50)) {
    await setTimeout(Math.min(pause, Math.max(1, until - performance.now())));
  }
}

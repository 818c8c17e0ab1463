import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** A living process, named so that a reused pid is not mistaken for it. */
export interface Seen {
  readonly pid: number;
  readonly start: string;
  readonly ppid: number;
  readonly command: string;
  readonly environ: string;
  readonly cwd: string;
}

/** All processes that we may read, without zombies: those do nothing and vanish when their parent looks. */
export function allProcesses(): Seen[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => look(Number(name)))
    .filter((seen) => seen !== undefined);
}

export function look(pid: number): Seen | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
    const environ = readFileSync(`/proc/${pid}/environ`, 'latin1');
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    return { pid, start: fields[19]!, ppid: Number(fields[1]), command, environ, cwd: readlinkSync(`/proc/${pid}/cwd`) };
  } catch {
    return undefined;
  }
}

/** Whether this very process still lives. */
export const lives = (seen: Pick<Seen, 'pid' | 'start'>) => look(seen.pid)?.start === seen.start;

/**
 * Processes that belong to a throwaway folder, by proof: its random name is in their environment, their command line
 * or their working folder. The caller itself, and what started it, is never among them.
 */
export function processesOf(base: string, all = allProcesses()): Seen[] {
  const inside = (path: string) => path === base || path.startsWith(`${base}/`);
  const exempt = ancestors(all);
  return all.filter((p) => !exempt.has(p.pid) && (p.environ.includes(base) || p.command.includes(base) || inside(p.cwd)));
}

function ancestors(all: readonly Seen[]): Set<number> {
  const parent = new Map(all.map((p) => [p.pid, p.ppid]));
  const found = new Set<number>();
  for (let pid: number | undefined = process.pid; pid && !found.has(pid); pid = parent.get(pid)) found.add(pid);
  return found;
}

/** One variable of a process' environment. */
export function variable(seen: Seen, name: string): string | undefined {
  const found = seen.environ.split('\0').find((item) => item.startsWith(`${name}=`));
  return found?.slice(name.length + 1);
}

/** Unix sockets somebody listens on below a folder. */
export function liveSockets(base: string): string[] {
  const lines = readFileSync('/proc/net/unix', 'utf8').split('\n').slice(1);
  return [...new Set(lines.map((line) => line.split(/\s+/).slice(7).join(' ')).filter((path) => path.startsWith(`${base}/`)))];
}

/**
 * Waits until nothing of the folder lives. What still does after `patienceMs` is ended by (pid, start), so that one
 * bad test does not disturb the next, and is an error.
 */
export async function assertNoLeak(base: string, patienceMs = 30_000): Promise<void> {
  const until = performance.now() + patienceMs;
  let left = processesOf(base);
  while (left.length > 0 && performance.now() < until) {
    await new Promise((done) => setTimeout(done, 50));
    left = processesOf(base);
  }
  for (const seen of left) if (lives(seen)) process.kill(seen.pid, 'SIGKILL');
  if (left.length > 0)
    throw new Error(`left behind:\n${left.map((p) => `  ${p.pid} ${p.command.slice(0, 200)} (in ${p.cwd})`).join('\n')}`);
  const sockets = liveSockets(base);
  if (sockets.length > 0) throw new Error(`somebody still listens on ${sockets.join(', ')}`);
}

/** Ends one of several processes of an agent; the end of another may have taken it along already. */
export function slay(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

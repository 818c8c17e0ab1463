import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { couldNotLook } from '../error.ts';
import { isBelow } from '../places.ts';
import { processTable } from '../process/table.ts';
import { startsOurs } from '../starter/elsewhere.ts';

/** Variables by which a git is told to work in a folder that is not its own. */
const PLACED = /^(GIT_DIR|GIT_WORK_TREE|GIT_INDEX_FILE)=/;

/**
 * The live processes that use one of these folders (or files), each with how: working folder, open file, environment, or arguments.
 * `undefined`: this machine does not tell, and the caller must assume "held". Environment and arguments count because a git whose parent
 * was killed keeps its files open only for moments.
 */
export function holders(paths: readonly string[]): Map<number, string> | undefined {
  if (process.platform !== 'linux') return undefined;
  const held = new Map<number, string>();
  const within = (path: string) => paths.some((root) => isBelow(path, root));
  for (const { pid } of processTable()) {
    const how = howHeld(`/proc/${pid}`, within, pid === process.pid);
    if (how) held.set(pid, how);
  }
  return held;
}

/** The processes whose working folder is inside: removing the folder would disturb them. */
export function inhabitants(path: string): number[] | undefined {
  if (process.platform !== 'linux') return undefined;
  return processTable().flatMap(({ pid }) => (isBelow(link(`/proc/${pid}/cwd`), path) ? [pid] : []));
}

/**
 * The number of gits at work in the repository's own checkouts, which could hold a lock on the user's refs or index. Gits of agents (below
 * `except`) take no such lock, and the code that started our own children knows of them.
 */
export function gitsIn(repo: { root: string; gitDir: string }, except: string): number {
  if (process.platform !== 'linux') return 1;
  const gits = processTable().filter(({ pid, ppid }) => {
    if (startsOurs(ppid) || !/(^|\/)git(-[a-z-]+)?$/.test(words(`/proc/${pid}/cmdline`)[0] ?? '')) return false;
    const cwd = link(`/proc/${pid}/cwd`);
    return !isBelow(cwd, except) && (isBelow(cwd, repo.root) || isBelow(cwd, repo.gitDir));
  });
  return gits.length;
}

function howHeld(proc: string, within: (path: string) => boolean, self: boolean): string | undefined {
  if (within(link(`${proc}/cwd`))) return 'works in it';
  if (open(proc).some(within)) return 'has a file open in it';
  // Our own arguments may name the folder; that does not mean that we use it.
  if (self) return undefined;
  const told = words(`${proc}/environ`).filter((word) => PLACED.test(word));
  if (told.some((word) => within(word.slice(word.indexOf('=') + 1)))) return 'was told to work in it';
  const argv = words(`${proc}/cmdline`);
  return /(^|\/)git$/.test(argv[0] ?? '') && argv.some(within) ? 'was given it' : undefined;
}

const link = (path: string) => quietly(() => readlinkSync(path)) ?? '';
const words = (path: string) => quietly(() => readFileSync(path, 'utf8').split('\0')) ?? [];
const open = (proc: string) => quietly(() => readdirSync(`${proc}/fd`).map((fd) => link(`${proc}/fd/${fd}`))) ?? [];

/** The answer of `look`; `undefined` for a process that ends meanwhile or belongs to another user. */
function quietly<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (couldNotLook(error)) throw error;
    return undefined;
  }
}

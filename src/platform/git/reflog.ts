import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { registrationOf } from './registrations.ts';
import { type Repo, tryGit } from './run.ts';

/** A value that a ref once got. */
export interface Logged {
  readonly oid: string;
  /** In seconds. */
  readonly at: number;
  /** The name of the person who moved it, as their git has it. */
  readonly by: string;
  readonly message: string;
}

/** The newest values of a ref, newest first; none where reflogs are off. `cwd` matters for HEAD: every worktree has its own. */
export async function reflog(repo: Repo, cwd: string, ref: string, count: number): Promise<Logged[]> {
  const own = ref === 'HEAD' && cwd !== repo.root ? registrationOf(repo.gitDir, cwd) : repo.gitDir;
  return (own === undefined ? undefined : newestLines(join(own, 'logs', ref), count)) ?? askGit(repo, cwd, ref, count);
}

/** Some 1,500 lines of 170 bytes. */
const TAIL = 256 * 1024;
const LINE = /^[0-9a-f]{40,64} ([0-9a-f]{40,64}) (.*) <.*> (\d+) [-+]\d+(?:\t(.*))?$/;

/** The newest lines of a reflog file, newest first. `undefined`: there is no such file, or its last part has fewer lines than wanted. */
export function newestLines(file: string, count: number): Logged[] | undefined {
  const end = endOf(file);
  if (end === undefined) return undefined;
  const lines = end.text.split('\n').slice(end.whole ? 0 : 1);
  if (!end.whole && lines.length <= count) return undefined;
  const found = lines.flatMap((line) => {
    const [, oid = '', by = '', at, message = ''] = LINE.exec(line) ?? [];
    return at !== undefined && !/^0+$/.test(oid) ? [{ oid, at: Number(at), by, message }] : [];
  });
  return found.slice(-count).reverse();
}

/** Refuses a link, which only git may follow, and a named pipe, which nobody may open. */
function endOf(file: string): { text: string; whole: boolean } | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    const found = fstatSync(fd);
    if (!found.isFile()) return undefined;
    const from = Math.max(0, found.size - TAIL);
    const bytes = Buffer.alloc(found.size - from);
    return { text: bytes.toString('utf8', 0, readSync(fd, bytes, 0, bytes.length, from)), whole: from === 0 };
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

async function askGit(repo: Repo, cwd: string, ref: string, count: number): Promise<Logged[]> {
  const format = '--format=%H%x00%gd%x00%gn%x00%gs';
  const done = await tryGit(repo, ['log', '--walk-reflogs', '--date=unix', `--max-count=${count}`, format, ref, '--'], { cwd });
  return done.stdout.split('\n').flatMap((line) => {
    const [oid, selector = '', by = '', message = ''] = line.split('\0');
    return oid ? [{ oid, at: Number(/@\{(\d+)\}$/.exec(selector)?.[1]), by, message }] : [];
  });
}

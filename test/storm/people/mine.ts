import { createHash } from 'node:crypto';
import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { look, tryLook } from './git.ts';
import { ask, type World } from './world.ts';

/** A publication takes its time, and a kill may come in the middle of it: so long may `git status` show a part of it. */
export const SETTLE_MS = 45_000;

/** A file of the person's that differs from HEAD. */
export interface Uncommitted {
  /** The two letters of `git status --porcelain`. */
  readonly xy: string;
  /** The bytes in the working tree; `undefined` when they removed it. */
  readonly content: string | undefined;
}

/** What `git status` must say, as the person knows it: path to what they did there. */
export type Mine = Map<string, Uncommitted>;

/** Folders whose state is not the person's alone: furrow writes the board's status fields. */
const EXCEPT = ['.furrow/', 'board/'];

/** What `git status` says now. */
async function statusNow(world: World): Promise<Map<string, string>> {
  const text = await look(world, 'status', '--porcelain', '-z', '--untracked-files=all', '--ignored=matching', '--no-renames');
  const items = text.split('\0').filter(Boolean);
  const seen = items.map((line) => [line.slice(3), line.slice(0, 2)] as const);
  return new Map(seen.filter(([path]) => !EXCEPT.some((folder) => path.startsWith(folder))));
}

/** Lines of `git status` that the person did not cause, and causes of theirs that it lacks. `loose`: paths in the middle of an operation. */
async function wrongStatus(world: World, mine: Mine, loose: ReadonlySet<string>): Promise<string[]> {
  const seen = await statusNow(world);
  const paths = new Set([...seen.keys(), ...mine.keys()].filter((path) => !loose.has(path)));
  return [...paths].flatMap((path) => {
    const [says, should] = [seen.get(path), mine.get(path)?.xy];
    if (says === should) return [];
    return [
      `git status says ${says === undefined ? 'nothing' : `"${says}"`} of ${path}, the person left it ${should === undefined ? 'clean' : `"${should}"`}`,
    ];
  });
}

/** The same before long: it is asked until nothing is wrong any more. `world` may be a worktree of it. */
export async function settledStatus(world: World, mine: Mine, loose: ReadonlySet<string>, patienceMs = SETTLE_MS): Promise<string[]> {
  const until = performance.now() + patienceMs;
  for (let looks = 0; ; looks++) {
    const wrong = await wrongStatus(world, mine, loose);
    if (wrong.length === 0 || performance.now() > until || patienceMs === 0) return wrong;
    await sleep(100);
    if (looks % 20 === 19) await ask(world, 'status', '--json');
  }
}

/** Files of the person's whose bytes, in the working tree or staged, are not those they wrote. */
export async function changedBytes(world: World, mine: Mine, loose: ReadonlySet<string>): Promise<string[]> {
  const wrong: string[] = [];
  for (const [path, { xy, content }] of mine) {
    if (loose.has(path)) continue;
    const there = await contentOf(join(world.repo.root, path));
    if (there !== content) wrong.push(`the person's ${path} has other bytes: ${short(there)} instead of ${short(content)}`);
    if ((xy === 'M ' || xy === 'A ') && content !== undefined) {
      const staged = (await tryLook(world, 'rev-parse', `:${path}`)) ?? 'nothing';
      if (staged !== blobOf(content)) wrong.push(`the person's staged ${path} is another: ${staged}`);
    }
  }
  return wrong;
}

const short = (text: string | undefined) => (text === undefined ? 'no file' : JSON.stringify(text.slice(0, 60)));

const blobOf = (text: string) =>
  createHash('sha1')
    .update(`blob ${Buffer.byteLength(text)}\0${text}`)
    .digest('hex');

async function contentOf(path: string): Promise<string | undefined> {
  const stat = await lstat(path).catch(() => undefined);
  if (!stat) return undefined;
  return stat.isFile() ? readFile(path, 'utf8') : `not a file: mode ${stat.mode.toString(8)}`;
}

export const isTracked = ({ xy }: Uncommitted) => xy !== '??' && xy !== '!!';

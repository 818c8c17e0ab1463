import { join } from 'node:path';
import { namesIn, readPlainly } from './open-without-links.ts';
import { FARM_BRANCHES } from './own-git.ts';

/** The refs of an agent's own repository by their ids, and the HEAD of its worktree: a ref or an id. */
export interface OwnRefs {
  readonly head: string | undefined;
  readonly refs: ReadonlyMap<string, string>;
}

const OID = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;
const NAME = /^refs\/[^\0-\x20~^:?*[\\\x7f]+$/;
const NEVER = /\.\.|\/\/|\/\.|@\{|\.lock(?:\/|$)|[/.]$/;
const isRef = (name: string) => NAME.test(name) && !NEVER.test(name);

/** Bounds of what is read: a ref is one line, and nobody has more refs, or deeper ones. */
const LINE = 1024;
const PACKED = 64 * 1024 * 1024;
const MOST = 100_000;
const DEEPEST = 32;
/** Git follows as many symbolic refs. */
const STEPS = 5;

/** The value of a ref with an empty file: it has none, even if an older value is packed. */
const BROKEN = '';

/** Reads them as data, without git. It skips whatever is no plain file, no id or no ref name, so it never waits at a pipe. */
export function readOwnRefs(folder: string, worktree: string): OwnRefs {
  const said = new Map<string, string>();
  for (const line of (readPlainly(join(folder, 'packed-refs'), PACKED)?.toString() ?? '').split('\n')) {
    const cut = line.indexOf(' ');
    if (cut > 0) said.set(line.slice(cut + 1), line.slice(0, cut));
  }
  walk(folder, 'refs', DEEPEST, said);
  const lead = (value: string | undefined, steps = STEPS): string | undefined => {
    if (value === undefined || OID.test(value)) return value;
    return value.startsWith('ref: ') && steps > 0 ? lead(said.get(value.slice('ref: '.length).trim()), steps - 1) : undefined;
  };
  const all = [...said].filter(([name]) => isRef(name) && !name.startsWith(FARM_BRANCHES));
  const refs = new Map(all.flatMap(([name, value]): [string, string][] => (lead(value) === undefined ? [] : [[name, lead(value)!]])));
  const head = lineOf(join(folder, 'worktrees', worktree, 'HEAD'))?.replace(/^ref: /, '');
  return { head: head !== undefined && (OID.test(head) || isRef(head)) ? head : undefined, refs };
}

const lineOf = (path: string) => readPlainly(path, LINE)?.toString().trim();

function walk(folder: string, below: string, depth: number, said: Map<string, string>): void {
  for (const one of namesIn(join(folder, below))) {
    const name = `${below}/${one.name}`;
    if (said.size >= MOST) return;
    if (!one.isDirectory()) said.set(name, (one.isFile() ? lineOf(join(folder, name)) : undefined) ?? BROKEN);
    else if (depth > 0) walk(folder, name, depth - 1, said);
  }
}

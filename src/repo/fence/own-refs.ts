import { join } from 'node:path';
import { FARM_BRANCHES } from './own-git.ts';
import { namesIn, readPlainly } from './plainly.ts';

/** The refs of an agent's own repository, each by the id that it leads to, and what the HEAD of its worktree says: a ref or an id. */
export interface OwnRefs {
  readonly head: string | undefined;
  readonly refs: ReadonlyMap<string, string>;
}

const OID = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;
const NAME = /^refs\/[^\0-\x20~^:?*[\\\x7f]+$/;
const NEVER = /\.\.|\/\/|\/\.|@\{|\.lock(?:\/|$)|[/.]$/;
const isRef = (name: string) => NAME.test(name) && !NEVER.test(name);

/** Bounds of what is read: a ref is one line, and nobody has more of them, or deeper. */
const LINE = 1024;
const PACKED = 64 * 1024 * 1024;
const MOST = 100_000;
const DEEPEST = 32;
/** As many symbolic refs as git follows. */
const STEPS = 5;

/** A ref whose file says nothing: it has no value, also where an older one is packed. */
const BROKEN = '';

/** Reads them without git, as data: what is no plain file, no id or no name of a ref is passed over. So no pipe is waited at. */
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

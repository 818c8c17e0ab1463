import fc from 'fast-check';
import type { Files } from './history.ts';

/** Folders of a few files, each unlike the others, so that git can tell a rename. */
export const START: Files = Object.fromEntries(
  ['top', 'one/a', 'one/b', 'one/c', 'two/a', 'two/b', 'two/deep/a', 'two/deep/b', 'three/a'].map((path) => [path, text(path)]),
);

function text(name: string): string {
  return Array.from({ length: 8 }, (_, n) => `${name} line ${n}\n`).join('');
}

type Edit = readonly [kind: 'change' | 'add' | 'remove' | 'move' | 'moveFolder' | 'toFolder' | 'toFile', a: number, b: number];

const KINDS: readonly Edit[0][] = ['change', 'change', 'add', 'add', 'remove', 'move', 'moveFolder', 'moveFolder', 'toFolder', 'toFile'];

/** What one branch, or one landing, does to the files it starts from. */
export const edits = (most: number, kinds = KINDS): fc.Arbitrary<Edit[]> =>
  fc.array(fc.tuple(fc.constantFrom(...kinds), fc.nat(50), fc.nat(50)), { minLength: 1, maxLength: most });

export function apply(files: Files, list: readonly Edit[]): Files {
  const now: Record<string, string> = { ...files };
  for (const [kind, a, b] of list) step(now, kind, a, b);
  return now;
}

const PLACES = ['one', 'two', 'two/deep', 'three', 'four', 'four/x', 'one/sub'];

function step(files: Record<string, string>, kind: Edit[0], a: number, b: number): void {
  const paths = Object.keys(files).sort();
  const path = paths[a % paths.length];
  if (path === undefined) return;
  const place = PLACES[b % PLACES.length] ?? 'one';
  if (kind === 'change') files[path] = (files[path] ?? '').replace(/line \d( \w+)?\n/, `line 0 ${String.fromCharCode(97 + (b % 26))}\n`);
  else if (kind === 'add') put(files, `${place}/new${a % 3}`, `new ${b}\n`);
  else if (kind === 'remove') delete files[path];
  else if (kind === 'move') move(files, path, `${place}/moved${a % 3}`);
  else if (kind === 'toFolder') move(files, path, `${path}/inside`);
  else if (kind === 'toFile') put(files, place, `a file at ${place}\n`);
  else {
    const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
    const to = b % 4 === 0 ? '' : `${place}${b % 3}/`;
    for (const one of paths) {
      if (folder === '' ? true : one.startsWith(`${folder}/`)) move(files, one, `${to}${one.slice(folder === '' ? 0 : folder.length + 1)}`);
    }
  }
}

function move(files: Record<string, string>, from: string, to: string): void {
  const text = files[from];
  if (text === undefined || from === to) return;
  delete files[from];
  put(files, to, text);
}

/** A file where a folder was takes its place, and the other way round. */
function put(files: Record<string, string>, path: string, text: string): void {
  for (const other of Object.keys(files)) if (other.startsWith(`${path}/`) || path.startsWith(`${other}/`)) delete files[other];
  files[path] = text;
}

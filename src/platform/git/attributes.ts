import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readBlobs } from './blobs.ts';
import { type Aside, sharedAside } from './own-object-store.ts';
import type { Repo } from './run.ts';

/** The attribute files of a commit that could say something about some paths. */
export interface Attributes {
  readonly files: ReadonlyMap<string, Buffer>;
  /** For each file that speaks of merging, the patterns in question. */
  readonly loud: ReadonlyMap<string, readonly string[]>;
}

/** Attributes that change a merge; `binary` implies `-merge`. Most lines only name line endings. */
const MATTERS = /merge|binary|conflict-marker-size/;

/** Reads them with one git, or with none when there are no paths. */
export async function attributesFor(repo: Repo, commit: string, paths: readonly string[]): Promise<Attributes> {
  const names = [...new Set(paths.flatMap(attributeFiles))].filter(isPlain);
  const found = await readBlobs(
    repo,
    await sharedAside(repo, commit),
    names.map((name) => `${commit}:${name}`),
  );
  const files = new Map(names.flatMap((name, at) => (found[at] ? [[name, found[at]] as const] : [])));
  return { files, loud: new Map([...files].map(([name, bytes]) => [name, loudPatterns(bytes)])) };
}

function loudPatterns(bytes: Buffer): string[] {
  const lines = bytes.toString('latin1').split('\n');
  const loud = lines.map((line) => line.trimStart()).filter((line) => !line.startsWith('#') && MATTERS.test(line));
  return loud.map((line) => line.split(/[ \t\r]/)[0]!);
}

/** True when the attributes may change a merge that read these files. */
export function concern({ loud }: Attributes, paths: readonly string[]): boolean {
  return paths.some((path) => attributeFiles(path).some((name) => loud.get(name)?.some((pattern) => mayMatch(pattern, path))));
}

/**
 * True when a pattern may match a path. Only the plainest patterns are ruled out: with the frequent `*.png binary` each merge would be made
 * twice and take 22 ms in place of 8. A macro, `[attr]…`, may match anything.
 */
function mayMatch(pattern: string, path: string): boolean {
  const [, star, rest = ''] = /^(\*?)([A-Za-z0-9._-]+)$/.exec(pattern) ?? [];
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (star === undefined) return true;
  return star === '' ? name === rest : name.endsWith(rest);
}

/** Writes the files where git looks for them. */
export async function layAttributes(aside: Aside, { files }: Attributes): Promise<void> {
  for (const [name, bytes] of files) {
    const file = join(aside.files, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, bytes);
  }
}

/** The attribute files that may speak of a path, the one at the top first. */
export function attributeFiles(path: string): string[] {
  const folders = path.split('/').slice(0, -1);
  return [...folders.keys(), folders.length].map((depth) => [...folders.slice(0, depth), '.gitattributes'].join('/'));
}

/** A tree object may hold names that no checkout would accept; they must not lead us out of the folder. */
function isPlain(path: string): boolean {
  return path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}

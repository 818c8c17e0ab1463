import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { readBlobs } from '../../platform/git/blobs.ts';
import { sharedAside } from '../../platform/git/own-object-store.ts';
import { git, type Repo } from '../../platform/git/run.ts';
import { determines, installParts, installScripts, namedPaths } from './files.ts';

/** Everything that decides what set-up makes. */
export interface KeyParts {
  readonly commands: readonly string[];
  /** Paths of the tree, each with the hash of the part that matters. */
  readonly files: readonly (readonly [path: string, hash: string])[];
  /** Lines such as `npm 10.8.2`. */
  readonly tools: readonly string[];
  readonly platform: string;
}

/** The version of the key: a new number makes all templates of earlier versions unknown. */
const FORMAT = 1;

/** The key of these parts. The order of files does not matter, that of commands does. */
export function keyOf({ commands, files, tools, platform }: KeyParts): string {
  const sorted = files.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return hash(JSON.stringify([FORMAT, commands, sorted, tools, platform])).slice(0, 24);
}

const hash = (text: string | Buffer) => createHash('sha256').update(text).digest('hex');

interface TreeFile {
  readonly path: string;
  /** The same path, one character a byte: two names that are not UTF-8 may have the same `path`. */
  readonly bytes: string;
  readonly mode: string;
  readonly oid: string;
}

/** The files of a tree that decide, each with a hash; a submodule counts by its commit. */
export async function decidingFiles(
  repo: Repo,
  tree: string,
  commands: readonly string[],
  more: readonly string[],
): Promise<[path: string, hash: string][]> {
  const aside = await sharedAside(repo, tree);
  const all = parseTree(await git(repo, ['ls-tree', '-r', '-z', tree], { ...aside.git, encoding: 'latin1' }));
  const packages = all.filter(({ path, mode }) => basename(path) === 'package.json' && mode !== '160000');
  const texts = await readBlobs(
    repo,
    aside,
    packages.map(({ oid }) => oid),
  );
  const manifests = new Map(packages.map(({ bytes, oid }, n) => [bytes, texts[n]?.toString('utf8') ?? oid]));
  const named = namedPaths([...commands, ...[...manifests.values()].flatMap(installScripts)]);
  return all
    .filter(({ path, mode }) => mode === '160000' || determines(path, more, named))
    .map(({ bytes, mode, oid }) => {
      const text = manifests.get(bytes);
      return [bytes, text === undefined ? `${mode} ${oid}` : hash(installParts(text))];
    });
}

/** Lines of `100644 blob <id><tab>path`. */
function parseTree(list: string): TreeFile[] {
  return list
    .split('\0')
    .filter(Boolean)
    .map((line) => {
      const tab = line.indexOf('\t');
      const [mode = '', , oid = ''] = line.slice(0, tab).split(' ');
      const bytes = line.slice(tab + 1);
      return { path: Buffer.from(bytes, 'latin1').toString('utf8'), bytes, mode, oid };
    });
}

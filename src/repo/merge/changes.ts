import { isUtf8 } from 'node:buffer';
import { GitError, type Repo, tryGit } from '../../platform/git/run.ts';

/** Two trees; the second is the result of a merge into the first. */
export interface Step {
  readonly before: string;
  readonly after: string;
}

/** One name that differs between two trees, folders included. */
export interface Change {
  readonly path: string;
  readonly status: string;
  /** Mode and id after the step; for a deleted path, those before it. */
  readonly mode: string;
  readonly oid: string;
  readonly old: { readonly mode: string; readonly oid: string };
}

/** Its commit is in another repository. */
const SUBMODULE = '160000';

const DIFF = ['diff-tree', '--stdin', '-r', '-t', '-z', '--raw', '--no-renames', '--no-ext-diff', '--no-textconv'];

/** The differences of any number of steps with one git. It does not even read folders that are the same on both sides. */
export async function changes(repo: Repo, steps: readonly Step[]): Promise<Change[][]> {
  if (steps.length === 0) return [];
  const input = steps.map(({ before, after }) => `${before} ${after}\n`).join('');
  const out = await latin(repo, DIFF, input);
  const found: Change[][] = [];
  for (let at = 0; at < out.length; ) {
    if (out[at] !== ':') {
      const end = out.indexOf('\n', at);
      if (end < 0) throw new Error('git compared something else than trees');
      found.push([]);
      at = end + 1;
      continue;
    }
    const [facts, path] = [out.indexOf('\0', at), out.indexOf('\0', out.indexOf('\0', at) + 1)];
    found.at(-1)!.push(change(out.slice(at + 1, facts), decode(out.slice(facts + 1, path))));
    at = path + 1;
  }
  return found;
}

function change(facts: string, path: string): Change {
  const [oldMode = '', newMode = '', oldOid = '', newOid = '', status = ''] = facts.split(' ');
  const old = { mode: oldMode, oid: oldOid };
  return status === 'D' ? { path, status, ...old, old } : { path, status, mode: newMode, oid: newOid, old };
}

/** True if these commits are there, and everything that the second tree has and the first has not. */
export async function isWhole(repo: Repo, step: Step, commits: readonly string[]): Promise<boolean> {
  // Git names a tree that it cannot read and gives up; which tree it was does not matter.
  const [made] = await changes(repo, [step]).catch(() => []);
  if (!made) return false;
  const files = made.filter((one) => one.status !== 'D' && one.mode !== SUBMODULE).map((one) => one.oid);
  const types = await latin(repo, ['cat-file', '--batch-check=%(objecttype)'], lines([...commits, ...files]));
  return !types.includes(' missing');
}

/** The names in trees, one level deep, with one git. */
export async function treeNames(repo: Repo, trees: readonly string[]): Promise<string[][]> {
  const bytes = trees.length === 0 ? [] : await contents(repo, trees);
  const id = (trees[0]?.length ?? 0) / 2;
  return bytes.map((tree) => {
    const names: string[] = [];
    for (let at = 0; at < tree.length; ) {
      const end = tree.indexOf('\0', at);
      names.push(decode(tree.slice(tree.indexOf(' ', at) + 1, end)));
      at = end + 1 + id;
    }
    return names;
  });
}

/** The sizes of blobs, with one git; missing blobs are left out. */
export async function blobSizes(repo: Repo, oids: readonly string[]): Promise<Map<string, number>> {
  if (oids.length === 0) return new Map();
  const out = await latin(repo, ['cat-file', '--batch-check=%(objectname) %(objectsize)'], lines(oids));
  const pairs = out.split('\n').map((line) => line.split(' '));
  return new Map(pairs.flatMap(([oid = '', size = '']) => (/^\d+$/.test(size) ? [[oid, Number(size)] as const] : [])));
}

/** The small ones of these blobs, with their content. */
export async function smallBlobs(repo: Repo, oids: readonly string[], below: number): Promise<Map<string, string>> {
  const small = [...(await blobSizes(repo, oids))].flatMap(([oid, size]) => (size < below ? [oid] : []));
  const texts = small.length === 0 ? [] : await contents(repo, small);
  return new Map(small.map((oid, at) => [oid, texts[at]!]));
}

/** The bytes of objects as letters, with one git. */
export async function contents(repo: Repo, oids: readonly string[]): Promise<string[]> {
  const out = await latin(repo, ['cat-file', '--batch=%(objectsize)'], lines(oids));
  const found: string[] = [];
  for (let at = 0; at < out.length; ) {
    const start = out.indexOf('\n', at) + 1;
    const size = Number(out.slice(at, start));
    if (Number.isNaN(size)) throw new Error('an object that git has just named is missing');
    found.push(out.slice(start, start + size));
    at = start + size + 1;
  }
  return found;
}

const lines = (items: readonly string[]) => items.map((item) => `${item}\n`).join('');

async function latin(repo: Repo, args: readonly string[], input: string): Promise<string> {
  // diff-tree reads the index first, for attributes that do not matter here: 10 ms of 14 at 50,000 files.
  const done = await tryGit(repo, args, { input, encoding: 'latin1', env: { GIT_INDEX_FILE: '/nonexistent/index' } });
  if (done.code !== 0 || done.truncated) throw new GitError(args, done);
  return done.stdout;
}

/** Decodes a name. One that is not UTF-8 keeps its bytes as letters, so that it stays different from all others. */
function decode(bytes: string): string {
  if (/^[\x00-\x7f]*$/.test(bytes)) return bytes;
  const buffer = Buffer.from(bytes, 'latin1');
  return isUtf8(buffer) ? buffer.toString('utf8') : bytes;
}

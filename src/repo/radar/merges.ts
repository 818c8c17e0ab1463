import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { MERGE_CONFIG } from '../../platform/git/merge-tree.ts';
import { sharedAside } from '../../platform/git/own-object-store.ts';
import { GitError, type GitOptions, type Repo, tryGit } from '../../platform/git/run.ts';
import { objectsIn } from './scratch-objects.ts';

export interface Merge {
  readonly ours: string;
  readonly theirs: string;
}

/** The conflicting paths of one merge, none when it is clean; `undefined`: it could not be tried. */
export type Clash = readonly string[] | undefined;

interface MergeOptions {
  /** A folder of ours for what the merges write; nobody needs it afterwards. */
  readonly scratch: string;
  /** Folders of objects that the commits need besides the repository's. */
  readonly objects: readonly string[];
  readonly signal?: AbortSignal | undefined;
  /** Gits at a time. */
  readonly width: number;
}

/** One git does fewer than this before a second one has started. */
const WORTH_A_GIT = 8;

/**
 * Tries all merges, with at most `width` gits at a time, and answers in the order asked. It works outside the repository, so that no merge
 * driver of its configuration runs. Attributes are ignored, because this is only a forecast.
 */
export async function tryMerges(repo: Repo, merges: readonly Merge[], options: MergeOptions): Promise<Clash[]> {
  if (merges.length === 0) return [];
  const gits = Math.min(options.width, Math.ceil(merges.length / WORTH_A_GIT));
  const size = Math.ceil(merges.length / gits);
  const parts = Array.from({ length: gits }, (_, n) => merges.slice(n * size, (n + 1) * size));
  const { git } = await sharedAside(repo, merges[0]!.ours);
  const settled = await Promise.allSettled(
    parts.map(async (part, n) => {
      const folder = join(options.scratch, `merge-${n}`);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      try {
        const env = { ...git.env, ...objectsIn(repo, folder, options.objects) };
        const how = { ...git, env, config: [...git.config, ...MERGE_CONFIG], ...(options.signal && { signal: options.signal }) };
        return await mergePart(repo, part, how);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    }),
  );
  return settled.flatMap((part) => {
    if (part.status === 'rejected') throw part.reason;
    return part.value;
  });
}

/** An unknown option: git 2.38 has no `--stdin`. */
const USAGE = 129;

/** `--messages` for clean merges, too, so that all answers have the same parts. */
const WRITE = ['merge-tree', '--write-tree', '-z', '--name-only', '--messages', '--allow-unrelated-histories'];

async function mergePart(repo: Repo, merges: readonly Merge[], options: GitOptions): Promise<Clash[]> {
  const input = merges.map(({ ours, theirs }) => `${ours} ${theirs}\n`).join('');
  const done = await tryGit(repo, [...WRITE, '--stdin'], { ...options, input });
  if (done.code === USAGE) return mergeEach(repo, merges, options);
  const answers = readMerges(done.stdout);
  if (answers.length === merges.length) return answers;
  // Git stops at the first merge that it cannot try, for example when a commit is gone. That one is left out, and the others go on.
  const [, ...rest] = merges.slice(answers.length);
  return [...answers, undefined, ...(rest.length > 0 ? await mergePart(repo, rest, options) : [])];
}

/** A git for each. Exit 0 is clean, 1 with a tree a conflict. */
export async function mergeEach(repo: Repo, merges: readonly Merge[], options: GitOptions): Promise<Clash[]> {
  const answers: Clash[] = [];
  for (const { ours, theirs } of merges) {
    const done = await tryGit(repo, [...WRITE, ours, theirs], options);
    if (done.code === USAGE) throw new GitError(WRITE, done);
    const tried = (done.code === 0 || done.code === 1) && done.stdout !== '';
    answers.push(tried ? readOne(done.stdout.split('\0'), 1, done.code === 0).clash : undefined);
  }
  return answers;
}

/** With `--stdin` the status comes first, and is 1 for clean and 0 for a conflict. */
function readMerges(output: string): Clash[] {
  const fields = output.split('\0');
  const answers: Clash[] = [];
  for (let at = 0; fields[at] === '0' || fields[at] === '1'; ) {
    const { clash, end } = readOne(fields, at + 2, fields[at] === '1');
    answers.push(clash);
    at = end;
  }
  return answers;
}

/** A file where the other side has a folder is renamed to `path~commit`, another name for each new commit. */
const ASIDE = /~[0-9a-f]{40,64}(_\d+)?$/;

/** After the tree: conflicting paths, an empty field, messages of `n, n paths, type, text`, an empty field. */
function readOne(fields: readonly string[], start: number, clean: boolean): { clash: readonly string[]; end: number } {
  const paths = new Set<string>();
  let at = start;
  for (; fields[at]; at++) paths.add((fields[at] ?? '').replace(ASIDE, ''));
  const named = new Set<string>();
  for (at++; fields[at]; ) {
    const count = Number(fields[at]);
    const isConflict = fields[at + count + 1]?.startsWith('CONFLICT');
    if (isConflict) for (const path of fields.slice(at + 1, at + 1 + count)) named.add(path);
    at += count + 3;
  }
  // A folder that one side split in two conflicts without a path in conflict; the message names some.
  return { clash: clean ? [] : [...(paths.size > 0 ? paths : named)].sort(), end: at + 1 };
}

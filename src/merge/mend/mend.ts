import { GitError, type Repo } from '../../platform/git/run.ts';
import { matchesAny } from '../../platform/glob.ts';
import { type MergeOutput, readMergeOutput, type Stage } from '../conflict.ts';
import { withAside } from './aside.ts';
import { editTree } from './blobs.ts';
import { mergeTree, messagesOf } from './merge-tree.ts';
import { regenerate } from './regenerate.ts';
import { recall } from './rerere.ts';
import type { Conflicted, Mend, Mended, MendRules, Scratch } from './rules.ts';
import { unite } from './union.ts';

export interface MendInput {
  /** The commit to merge into, by id. */
  readonly ours: string;
  readonly theirs: string;
  readonly rules: MendRules;
  readonly scratch: Scratch;
}

/**
 * Resolves what two commits quarrel about as far as rules say how, and never by taking a side. All or nothing: one file
 * that no rule resolves, and there is no candidate. A candidate proves nothing; it needs its checks like any merge.
 * `none` is final for these commits, rules and recorded resolutions; trouble of the machine is thrown.
 */
export async function mend(repo: Repo, input: MendInput, signal: AbortSignal): Promise<Mended> {
  signal.throwIfAborted();
  const { ours, theirs, rules } = input;
  const done = await mergeTree(repo, ours, theirs);
  if (done.code !== 0 && !(done.code === 1 && done.stdout)) throw new GitError(['merge-tree', '--write-tree'], done);
  const merged = readMergeOutput(done.stdout);
  if (done.code === 0) return { kind: 'candidate', tree: merged.tree, by: [] };
  const hopeless = beyondRules(done.stdout, merged.files);
  if (hopeless) return none(hopeless);

  const resolved = await withoutCommands(repo, merged, rules);
  if ('left' in resolved) return none(`no rule resolves the conflict in ${resolved.left.path}`);
  const { files, by, anew } = resolved;
  for (const file of anew) files.set(file.path, file.stages['2']!);
  const tree = await withAside(repo, ours, (aside) => editTree(repo, aside, merged.tree, files));
  if (anew.length === 0) return { kind: 'candidate', tree, by };

  const due = rules.regenerate.filter((rule) => anew.some((file) => matchesAny(file.path, rule.paths)));
  const made = await regenerate(repo, { tree, parents: [ours, theirs], rules: due, scratch: input.scratch }, signal);
  if ('reason' in made) return none(made.reason);
  const whole = await withAside(repo, ours, (aside) => editTree(repo, aside, tree, made.files));
  return { kind: 'candidate', tree: whole, by: [...by, ...anew.map(({ path }) => ({ path, how: 'regenerated' as const }))] };
}

const none = (reason: string): Mended => ({ kind: 'none', reason });

/**
 * Only two versions of one plain file at one place can be mended. Other kinds (a file deleted on a side, moved, turned
 * into a folder) leave more than one path in doubt, and some have no staged file at all, only a message.
 */
function beyondRules(output: string, files: readonly Conflicted[]): string | undefined {
  const special = messagesOf(output).find(({ type }) => type.startsWith('CONFLICT') && !/^CONFLICT \((contents|binary)\)$/.test(type));
  if (special) return `${special.paths.join(' and ')}: no rule resolves a ${/\((.*)\)/.exec(special.type)?.[1]} conflict`;
  const odd = files.find(({ path, stages: { 2: ours, 3: theirs } }) => {
    return !ours?.mode.startsWith('100') || ours.mode !== theirs?.mode || path.includes('\uFFFD');
  });
  return odd && `${odd.path}: the sides are not both plain files of one kind, which no rule resolves`;
}

type Resolved = { files: Map<string, Stage>; by: Mend[]; anew: Conflicted[] } | { left: Conflicted };

/** Union first, then what is recorded. `anew` is left for a command, `left` for nobody. */
async function withoutCommands(repo: Repo, merged: MergeOutput, rules: MendRules): Promise<Resolved> {
  const files = new Map<string, Stage>();
  const by: Mend[] = [];
  const take = (file: Conflicted, how: Mend['how'], oid: string) => {
    files.set(file.path, { mode: file.stages['2']!.mode, oid });
    by.push({ path: file.path, how });
  };
  for (const file of merged.files.filter(({ path }) => matchesAny(path, rules.union))) {
    const united = await unite(repo, file);
    if (united) take(file, 'union', united);
  }
  const open = merged.files.filter(({ path }) => !files.has(path));
  const anew = open.filter(({ path }) => rules.regenerate.some((rule) => matchesAny(path, rule.paths)));
  // A command that makes a file from the merged rest knows better than what an earlier conflict in it came to.
  const others = open.filter((file) => !anew.includes(file));
  const recalled = rules.rerere ? await recall(repo, merged.tree, others) : undefined;
  for (const file of others) {
    const oid = recalled?.get(file.path);
    if (!oid) return { left: file };
    take(file, 'rerere', oid);
  }
  return { files, by, anew };
}

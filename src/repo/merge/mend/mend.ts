import type { Stage } from '../../../platform/git/merge-output.ts';
import { withAside } from '../../../platform/git/own-object-store.ts';
import type { Repo } from '../../../platform/git/run.ts';
import { matchesAny } from '../../../platform/glob.ts';
import type { Mend, MergeOutput } from '../conflict.ts';
import { editTree } from './blobs.ts';
import { regenerate } from './regenerate.ts';
import { recall } from './rerere.ts';
import type { Conflicted, Mended, MendRules, Scratch } from './rules.ts';
import { unite } from './union.ts';

interface MendInput {
  /** The commit to merge into, by id. */
  readonly ours: string;
  readonly theirs: string;
  /** The conflict between the two. */
  readonly merged: MergeOutput;
  readonly rules: MendRules;
  readonly scratch: Scratch;
}

/**
 * Resolves the conflicts of two commits as far as rules say how, and never by taking a side. All or nothing: if no rule resolves one file,
 * there is no candidate. A candidate proves nothing; it needs its checks like any merge. `none` is final for these commits, rules and
 * recorded resolutions; trouble of the machine is thrown.
 */
export async function mend(repo: Repo, input: MendInput, signal: AbortSignal): Promise<Mended> {
  signal.throwIfAborted();
  const { ours, theirs, merged, rules } = input;
  const hopeless = beyondRules(merged, rules);
  if (hopeless) return none(hopeless);

  const resolved = await withoutCommands(repo, merged, rules);
  if ('left' in resolved) return none(`${UNRESOLVED} ${resolved.left.path}`);
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

const UNRESOLVED = 'no rule resolves the conflict in';

/**
 * The reason why no rule can help. Only two versions of one plain file at one path can be mended. Other kinds (a file deleted on one side,
 * moved, turned into a folder) leave more than one path in doubt, and some have no staged file, only a message. This needs no git: most
 * conflicts go to an agent, and should not wait.
 */
function beyondRules({ conflicts, files }: MergeOutput, rules: MendRules): string | undefined {
  const special = conflicts.find(({ kind }) => kind !== 'contents' && kind !== 'binary');
  if (special) return `${special.paths.join(' and ')}: no rule resolves a ${special.kind} conflict`;
  const odd = files.find(({ path, kind, stages: { 2: ours, 3: theirs } }) => {
    return kind === 'large file' || !ours?.mode.startsWith('100') || ours.mode !== theirs?.mode || path.includes('\uFFFD');
  });
  if (odd) return `${odd.path}: the sides are not both plain files of one kind, which no rule resolves`;
  const left = files.find(
    ({ path }) => !rules.rerere && !matchesAny(path, [...rules.union, ...rules.regenerate.flatMap((one) => one.paths)]),
  );
  return left && `${UNRESOLVED} ${left.path}`;
}

type Resolved = { files: Map<string, Stage>; by: Mend[]; anew: Conflicted[] } | { left: Conflicted };

/** Union first, then recorded resolutions. `anew`: files for a command; `left`: files that nothing resolves. */
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
  // A command that makes a file from the merged rest is better than the resolution of an earlier conflict.
  const others = open.filter((file) => !anew.includes(file));
  const recalled = rules.rerere ? await recall(repo, merged.tree, others) : undefined;
  for (const file of others) {
    const oid = recalled?.get(file.path);
    if (!oid) return { left: file };
    take(file, 'rerere', oid);
  }
  return { files, by, anew };
}

import { commitTree } from '../../platform/git/objects.ts';
import { treeOf } from '../../platform/git/refs.ts';
import type { Repo } from '../../platform/git/run.ts';
import type { Identity } from '../../platform/git/user.ts';
import { landingsByPath } from '../../repo/merge/landings-by-path.ts';
import { idOf } from '../../repo/merge/message.ts';
import { oneLine } from '../../repo/merge/one-line.ts';
import type { Evidence } from './snapshot.ts';
import { undo } from './state-without-step.ts';

interface RevertOrder {
  readonly head: string;
  readonly evidence: Evidence;
  readonly title: string;
  readonly committer: Identity;
  /** Date of the commit, in milliseconds. It comes from the journal and not from a clock: the same revert must be the same commit. */
  readonly at: number;
}

/** `gone`: the head has nothing of it any more. `conflict`: later work builds on it, and the question says which. */
export type Reverted =
  | { readonly kind: 'built'; readonly commit: string; readonly tree: string }
  | { readonly kind: 'gone' }
  | { readonly kind: 'conflict'; readonly paths: readonly string[]; readonly tasks: readonly string[]; readonly question: string };

/** Builds the commit that takes a step back, on top of the head. It moves nothing: the commit lands through the queue like any other. */
export async function buildRevert(repo: Repo, order: RevertOrder): Promise<Reverted> {
  const { head, evidence, committer, at } = order;
  const headTree = await treeOf(repo, head);
  const undone = await undo(repo, headTree, { before: evidence.good.tree, after: evidence.bad.tree });
  if (undone.kind === 'conflict') return conflict(repo, order, undone.paths);
  if (undone.tree === headTree) return { kind: 'gone' };
  const message = revertMessage(order);
  const commit = await commitTree(repo, { tree: undone.tree, parents: [head], message, author: committer, committer, at });
  return { kind: 'built', commit, tree: undone.tree };
}

/** Subject and reason, then trailers in a paragraph of their own; the title, which an agent may have written, is one line. */
export function revertMessage({ evidence, title }: Pick<RevertOrder, 'evidence' | 'title'>): string {
  const { check, good, bad, reds, greens } = evidence;
  const name = oneLine(check.name);
  const about = oneLine(title);
  const subject = `revert ${nameOf(evidence)}${about && `: ${about}`}`;
  const why = `${name} passes without it, on ${good.commit.slice(0, 12)}, and fails with it, on ${bad.commit.slice(0, 12)}.`;
  const proof = `${name} red on tree ${bad.tree} (runs ${reds.join(', ')}), green on ${good.tree} (runs ${greens.join(', ')})`;
  return `${subject}\n\n${why}\n\nFurrow-Reverts: ${bad.landed}\nFurrow-Evidence: ${proof}\n`;
}

const nameOf = ({ bad }: Evidence) => (bad.task === null ? bad.what : idOf(bad.task));

const SHOWN = 5;

async function conflict(repo: Repo, { head, evidence }: RevertOrder, paths: readonly string[]): Promise<Reverted> {
  const { check, bad } = evidence;
  const touched = await landingsByPath(repo, bad.landed, head, paths);
  const tasks = [...new Set([...touched.values()].flat().map((one) => one.task))].filter((task) => task !== bad.task);
  const more = paths.length > SHOWN ? ` and ${paths.length - SHOWN} more` : '';
  const since = tasks.length > 0 ? ` by ${tasks.slice(0, SHOWN).map(idOf).join(', ')}` : '';
  const question =
    `${check.name} fails since ${nameOf(evidence)}, which cannot be taken back by itself: ` +
    `${paths.slice(0, SHOWN).join(', ')}${more} ${paths.length === 1 ? 'was' : 'were'} changed again${since}`;
  return { kind: 'conflict', paths, tasks, question };
}

import { diffPaths } from '../../platform/git/objects.ts';
import type { Repo } from '../../platform/git/run.ts';
import type { WorkCommit } from './commit-facts.ts';
import type { StackEntry } from './judge.ts';
import { draftLanding, type LandingEntry, type LandingTerms } from './land.ts';
import type { NamedEntry } from './landed-work.ts';
import { needsPaths } from './message-template.ts';
import { draftShadow } from './shadow.ts';
import type { Entries, Point } from './stack-points.ts';
import type { Carried } from './unpublished.ts';
import type { Drafted } from './write-commits.ts';

/** A landing that is built but not done yet. */
export interface Built {
  readonly commit: string;
  readonly tree: string;
  /** Its first parent: the head that it lands on. */
  readonly parent: string;
  readonly entries: Entries;
  /** Other open entries that land with it, because the work of its entries contains them. */
  readonly carries: readonly NamedEntry[];
  /** The state after each entry, as a commit to look at; the last is the landing's own. */
  readonly steps: readonly { readonly entry: number; readonly commit: string; readonly tree: string }[];
  /** The commit that merges onto it are computed against, and its draft. */
  readonly shadow: string;
  readonly draft: Drafted | undefined;
}

interface Plans extends LandingTerms {
  readonly chain: Entries;
  /** The states on the way, the head first. */
  readonly points: readonly Point[];
  readonly shadow: string;
  /** Tasks that commits of the entries bring besides their own. */
  readonly carried: Carried;
}

/** The commits of a landing and its shadow; one git writes them all. */
export async function buildLanding(repo: Repo, plans: Plans): Promise<{ built: Built; drafts: Drafted[] }> {
  const { chain, points, head, history } = plans;
  const entries: LandingEntry[] = [];
  for (const [n, entry] of chain.entries()) {
    const { tree, commits } = points[n + 1]!;
    const keep = history === 'merge' && keeps(entry, commits);
    const paths = needsPaths(plans.message) ? await diffPaths(repo, points[n]!.tree, tree) : [];
    const carries = commits.flatMap(({ id }) => plans.carried.get(id) ?? []).filter(({ ref }) => !chain.some(({ task }) => task === ref));
    entries.push({ ...entry, tree, commits, keep, paths, carries: carries.map(({ ref, ...named }) => ({ ...named, task: ref })) });
  }
  const commits = draftLanding(entries, plans);
  const commit = commits.at(-1)!.id;
  const { tree } = points.at(-1)!;
  // If its history has all submitted commits, and nothing was remembered before, the landing needs no shadow.
  const whole = plans.shadow === head && entries.every((entry) => entry.keep);
  const at = Math.max(...chain.map((entry) => entry.at));
  const shas = chain.map((entry) => entry.sha);
  const draft = whole ? undefined : draftShadow({ before: plans.shadow, head: commit, tree, shas, at });
  const last = chain.length - 1;
  // Where the tasks have no commits of their own, those of the stack have their trees.
  const tips = history === 'merge' ? commits.map(({ id }) => id) : points.slice(1).map(({ base }) => base);
  const steps = chain.map(({ id }, n) => ({ entry: id, commit: n === last ? commit : tips[n]!, tree: points[n + 1]!.tree }));
  const carries = [...new Map(entries.flatMap((entry) => entry.carries ?? []).map((one) => [one.task, one])).values()];
  const built = { commit, tree, parent: head, entries: chain, carries, steps, shadow: draft?.id ?? commit, draft };
  const looked = history === 'linear' ? points.slice(1, -1).flatMap((point) => point.draft ?? []) : [];
  return { built, drafts: [...looked, ...commits, ...(draft ? [draft] : [])] };
}

/** Several commits of a person stay as they are: each has a message that was written for readers. */
const keeps = ({ keep, agent }: StackEntry, commits: readonly WorkCommit[]) => keep || (agent === null && commits.length > 1);

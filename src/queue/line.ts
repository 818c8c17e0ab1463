import { hasLanded, isReady, type Look, lives, runKey } from './look.ts';
import type { Chain, CheckSpec, QueueEntry } from './snapshot.ts';
import { aboutOf, trailOf, type Verdict, verdictOf } from './verdict.ts';

/** One entry in a stack, merged onto all before it. */
export interface Link {
  readonly entry: QueueEntry;
  readonly key: string;
  readonly tree: string;
  /** All that must pass on its tree: the project's checks, then those of every task up to here. */
  readonly checks: readonly CheckSpec[];
}

/** Entries stacked on the head, cut into segments: `ends` says after how many links each one ends. */
export interface Line {
  readonly links: Link[];
  readonly ends: number[];
}

export const idsOf = (links: readonly Link[]): Chain => links.map((link) => link.entry.id);

export const segmentsOf = ({ links, ends }: Line): Chain[] => ends.map((end, at) => idsOf(links.slice(ends[at - 1] ?? 0, end)));

export const verdictAt = (look: Look, link: Link): Verdict => verdictOf(look.runs, link.tree, link.checks);

/** Whether a check of exactly this tree, or of what it looks at in it, runs now. */
export const isBusy = (look: Look, link: Link): boolean =>
  look.busyTrees.has(link.tree) || link.checks.some((check) => look.busy.has(runKey(look.runs, link.tree, check.id)));

/** Whether a check of what is new in this tree runs or has run: what it shares with the head says nothing about it. */
export function isStarted(look: Look, link: Link): boolean {
  const { runs, snapshot } = look;
  const isNew = (check: CheckSpec) => aboutOf(runs, link.tree, check.id) !== aboutOf(runs, snapshot.headTree, check.id);
  return look.busyTrees.has(link.tree) || link.checks.some((check) => isNew(check) && trailOf(runs, link.tree, check.id) !== undefined);
}

/** Everything it needs has landed or stands before it. */
export const isAdmissible = (look: Look, links: readonly Link[], entry: QueueEntry) =>
  isReady(look, entry) || entry.after.every((task) => hasLanded(look, task) || links.some((link) => link.entry.task === task));

/** Puts an entry on top if it is known to merge. `unknown`: the merge has yet to be computed. */
export function push(look: Look, links: Link[], entry: QueueEntry): 'clean' | 'unknown' | 'out' {
  const top = links.at(-1);
  const key = top ? `${top.key},${entry.id}` : `${entry.id}`;
  const result = look.snapshot.stacked.get(key);
  if (!result) return 'unknown';
  if (result.kind !== 'clean') return 'out';
  links.push({ entry, key, tree: result.tree, checks: checksOf(look, top, entry) });
  return 'clean';
}

/** Asks for the merge of an entry onto a stack. */
export function ask(look: Look, links: readonly Link[], entry: QueueEntry): void {
  const chain = [...idsOf(links), entry.id];
  look.asks.set(chain.join(','), chain);
}

/** As much of a chain as is known to stack on this head with all that its entries need. */
export function stackUp(look: Look, ids: Chain): Link[] {
  const links: Link[] = [];
  for (const id of ids) {
    const entry = look.open.get(id);
    if (!entry || !lives(look, id) || !isAdmissible(look, links, entry)) break;
    if (push(look, links, entry) !== 'clean') break;
  }
  return links;
}

function checksOf(look: Look, below: Link | undefined, entry: QueueEntry): readonly CheckSpec[] {
  const before = below?.checks ?? look.snapshot.checks;
  const own = entry.own.filter((check) => !before.some((one) => one.id === check.id));
  return own.length > 0 ? [...before, ...own] : before;
}

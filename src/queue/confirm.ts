import { stackUp, verdictAt } from './line.ts';
import { type Look, markOf } from './look.ts';
import type { CheckSpec, Group, QueueEntry } from './snapshot.ts';
import { aboutOf, MAX_ERRORS, trailOf } from './verdict.ts';

/** What a single suspect needs next. */
export type Next =
  | { readonly do: 'reject'; readonly check: CheckSpec; readonly runs: readonly number[] }
  | { readonly do: 'run' | 'head'; readonly check: CheckSpec; readonly broken: boolean }
  /** Something else answers first. */
  | { readonly do: 'wait' };

/** Adds the red runs of a single suspect alone to its mark: on this head, and on earlier ones that were asked for it. */
export function countReds(look: Look, group: Group): void {
  const [id] = group.ids;
  const entry = group.ids.length === 1 ? look.open.get(id!) : undefined;
  if (!entry) return;
  const link = stackUp(look, group.ids)[0];
  const alone = group.probes.filter((probe) => probe.ids.length === 1 && probe.ids[0] === id);
  const trees = new Map(alone.map((probe) => [probe.tree, probe.headTree]));
  if (link) trees.set(link.tree, look.snapshot.headTree);
  let reds = new Set(markOf(look, entry.id).reds);
  for (const check of [...look.snapshot.checks, ...entry.own])
    for (const [tree, headTree] of trees) reds = recount(look, entry, check, tree, headTree, reds);
  look.marks.set(entry.id, { cleared: markOf(look, entry.id).cleared, reds: [...reds].sort((a, b) => a - b) });
}

/** A pass takes back the reds of the same check before it. A red counts only against a head that passes the check itself. */
function recount(look: Look, entry: QueueEntry, check: CheckSpec, tree: string, headTree: string, reds: Set<number>): Set<number> {
  const trail = trailOf(look.runs, tree, check.id);
  const passed = trail?.passed ?? -1;
  const kept = new Set([...reds].filter((id) => id > passed || look.runs.byId.get(id)?.check !== check.id));
  if (trail && isProven(look, entry, check, headTree)) for (const id of trail.fails) kept.add(id);
  return kept;
}

/** A check of its own may well be red without it: then the head has nothing to prove. */
const isOwn = (look: Look, entry: QueueEntry, check: CheckSpec) =>
  entry.own.includes(check) && !look.snapshot.checks.some((one) => one.id === check.id);

const isProven = (look: Look, entry: QueueEntry, check: CheckSpec, headTree: string) =>
  isOwn(look, entry, check) || trailOf(look.runs, headTree, check.id)?.answer === 'pass';

/**
 * What to do about a single suspect whose merge is known. `others`: a check of the chain is wanted too, and will tell as a
 * by-product whether the machine is healthy.
 */
export function confirm(look: Look, entry: QueueEntry, others: boolean): Next {
  const link = stackUp(look, [entry.id])[0]!;
  const verdict = verdictAt(look, link);
  if (verdict.is === 'green') return { do: 'wait' };
  const guilty = link.checks.map((check) => ({ check, runs: redsOf(look, entry, check) })).find((one) => isGuilty(look, entry, one));
  if (guilty) return { do: 'reject', ...guilty };
  if (verdict.is === 'open') return { do: 'run', check: verdict.next, broken: verdict.broken };
  const { check } = verdict;
  const run: Next = { do: 'run', check, broken: isBroken(look, link.tree, check) };
  if (isOwn(look, entry, check)) return run;
  const head: Next = { do: 'head', check, broken: isBroken(look, look.snapshot.headTree, check) };
  if (!isProven(look, entry, check, look.snapshot.headTree)) return head;
  const reds = redsOf(look, entry, check);
  const since = answersSince(look, check, reds[0]!).filter((one) => one.tree !== aboutOf(look.runs, link.tree, check.id));
  if (since.some((one) => one.outcome === 'pass')) return run;
  // All that was asked since is red: the head, which passed before, tells whether it is the machine.
  if (!others || since.length > 0) return head;
  return look.slots > 1 && reds.length <= look.snapshot.retries ? run : { do: 'wait' };
}

const redsOf = (look: Look, entry: QueueEntry, check: CheckSpec) =>
  markOf(look, entry.id).reds.filter((id) => look.runs.byId.get(id)?.check === check.id);

/**
 * Red often enough, and between the first and the last of these runs the same check passed somewhere: with a database that
 * went down, every entry would be rejected one after the other; when it comes back, so would those seen red meanwhile.
 */
function isGuilty(look: Look, entry: QueueEntry, { check, runs }: { check: CheckSpec; runs: readonly number[] }): boolean {
  if (runs.length <= look.snapshot.retries) return false;
  if (isOwn(look, entry, check)) return true;
  const until = runs.length > 1 ? runs.at(-1)! : Number.POSITIVE_INFINITY;
  return answersSince(look, check, runs[0]!).some((one) => one.outcome === 'pass' && one.id < until);
}

function answersSince(look: Look, check: CheckSpec, id: number) {
  const answers = look.runs.answers.get(check.id) ?? [];
  let from = answers.length;
  while (from > 0 && answers[from - 1]!.id > id) from--;
  return answers.slice(from);
}

const isBroken = (look: Look, tree: string, check: CheckSpec) => (trailOf(look.runs, tree, check.id)?.errors ?? 0) >= MAX_ERRORS;

import type { QueueFacts } from './facts.ts';
import { type Link, stackUp, verdictAt } from './links.ts';
import { type Marks, markOf } from './marks.ts';
import type { CheckSpec, Group, QueueEntry } from './snapshot.ts';
import { aboutOf, MAX_ERRORS, trailOf } from './verdict.ts';

/** The next thing to do about a single suspect. */
export type Next =
  | { readonly do: 'reject'; readonly check: CheckSpec; readonly runs: readonly number[] }
  | Ask
  /** Something else answers first. */
  | { readonly do: 'wait'; readonly meanwhile?: readonly Ask[] };

/** A check of the suspect, or of the head without it. */
export interface Ask {
  readonly do: 'run' | 'head';
  readonly check: CheckSpec;
  readonly broken: boolean;
  /** For slots that have nothing else to do, the most useful first. */
  readonly meanwhile?: readonly Ask[];
}

/** An entry that is alone in its group, merged onto the head, with the ids of its red runs that count. */
export interface Suspect {
  readonly link: Link;
  readonly reds: readonly number[];
}

/** Adds the red runs of single suspects alone to their marks: on this head, and on earlier ones that were asked for it. */
export function countReds(facts: QueueFacts, groups: readonly Group[], marks: Marks): Marks {
  const counted = new Map(marks);
  for (const group of groups) {
    const entry = group.ids.length === 1 ? facts.open.get(group.ids[0]!) : undefined;
    if (!entry) continue;
    const { cleared, reds } = markOf(marks, entry.id);
    counted.set(entry.id, { cleared, reds: redsAlone(facts, entry, group, reds) });
  }
  return counted;
}

function redsAlone(facts: QueueFacts, entry: QueueEntry, group: Group, before: readonly number[]): number[] {
  const [link] = stackUp(facts, group.ids);
  const alone = group.trials.filter((trial) => trial.ids.length === 1 && trial.ids[0] === entry.id);
  const trees = new Map(alone.map((trial) => [trial.tree, trial.headTree]));
  if (link) trees.set(link.tree, facts.snapshot.headTree);
  let reds = new Set(before);
  for (const check of [...facts.snapshot.checks, ...entry.own])
    for (const [tree, headTree] of trees) {
      const trail = trailOf(facts.runs, tree, check.id);
      const passed = trail?.passed ?? -1;
      // A pass takes back the reds of the same check before it. A red counts only against a head that passes the check itself.
      reds = new Set([...reds].filter((id) => id > passed || facts.runs.byId.get(id)?.check !== check.id));
      if (trail && isProven(facts, entry, check, headTree)) for (const id of trail.fails) reds.add(id);
    }
  return [...reds].sort((a, b) => a - b);
}

/** True of a check that only the entry's task has: it may well be red without the entry, so the head has nothing to prove. */
const isOwn = (facts: QueueFacts, entry: QueueEntry, check: CheckSpec) =>
  entry.own.includes(check) && !facts.snapshot.checks.some((one) => one.id === check.id);

const isProven = (facts: QueueFacts, entry: QueueEntry, check: CheckSpec, headTree: string) =>
  isOwn(facts, entry, check) || trailOf(facts.runs, headTree, check.id)?.answer === 'pass';

/**
 * Decides about a single suspect. `others`: a check of the chain is wanted too, and will tell as a by-product whether the
 * machine is healthy.
 */
export function confirm(facts: QueueFacts, suspect: Suspect, others: boolean): Next {
  const { link } = suspect;
  const verdict = verdictAt(facts, link);
  if (verdict.is === 'green') return { do: 'wait' };
  const guilty = link.checks.find((check) => isGuilty(facts, suspect, check));
  if (guilty) return { do: 'reject', check: guilty, runs: redsOf(facts, suspect, guilty) };
  if (verdict.is === 'open') {
    const { next: check, broken } = verdict;
    // A pass of the head after the first red is needed before the second run counts.
    return { do: 'run', check, broken, ...(!isOwn(facts, link.entry, check) && { meanwhile: [askHead(facts, check)] }) };
  }
  return afterRed(facts, suspect, verdict.check, others);
}

/** So many other trees in a row were red: it may well be the machine. Fewer are asked about by the work that goes on anyway. */
const REDS_ELSEWHERE = 5;

/** It is red by this check, and not often enough to be rejected. */
function afterRed(facts: QueueFacts, suspect: Suspect, check: CheckSpec, others: boolean): Next {
  const { snapshot, runs } = facts;
  const { link } = suspect;
  const run: Ask = { do: 'run', check, broken: isBroken(facts, link.tree, check) };
  if (isOwn(facts, link.entry, check)) return run;
  const head = askHead(facts, check);
  // The next run beside the head: it counts if the head has passed by the time it ends, which saves the time of a check. Once: a check that
  // fails at once would else be run over and over while the head takes its time.
  const isLast = (trailOf(runs, link.tree, check.id)?.fails.length ?? 0) > snapshot.retries;
  const beside = isLast ? [] : [run];
  if (!isProven(facts, link.entry, check, snapshot.headTree)) return { ...head, meanwhile: beside };
  const reds = redsOf(facts, suspect, check);
  const since = answersSince(facts, check, reds[0]!).filter((one) => one.tree !== aboutOf(runs, link.tree, check.id));
  if (since.some((one) => one.outcome === 'pass')) return run;
  // All that was asked since is red: the head, which passed before, tells whether it is the machine.
  return !others || since.length >= REDS_ELSEWHERE ? { ...head, meanwhile: beside } : { do: 'wait', meanwhile: [head, ...beside] };
}

const askHead = (facts: QueueFacts, check: CheckSpec): Ask => ({
  do: 'head',
  check,
  broken: isBroken(facts, facts.snapshot.headTree, check),
});

const redsOf = (facts: QueueFacts, { reds }: Suspect, check: CheckSpec) => reds.filter((id) => facts.runs.byId.get(id)?.check === check.id);

/**
 * Red often enough, and between the first and the last of these runs the same check passed somewhere: with a database that
 * went down, every entry would be rejected one after the other; when it comes back, so would those seen red meanwhile.
 */
function isGuilty(facts: QueueFacts, suspect: Suspect, check: CheckSpec): boolean {
  const reds = redsOf(facts, suspect, check);
  if (reds.length <= facts.snapshot.retries) return false;
  if (isOwn(facts, suspect.link.entry, check)) return true;
  const until = reds.length > 1 ? reds.at(-1)! : Number.POSITIVE_INFINITY;
  return answersSince(facts, check, reds[0]!).some((one) => one.outcome === 'pass' && one.id < until);
}

function answersSince(facts: QueueFacts, check: CheckSpec, id: number) {
  const answers = facts.runs.answers.get(check.id) ?? [];
  let from = answers.length;
  while (from > 0 && answers[from - 1]!.id > id) from--;
  return answers.slice(from);
}

const isBroken = (facts: QueueFacts, tree: string, check: CheckSpec) => (trailOf(facts.runs, tree, check.id)?.errors ?? 0) >= MAX_ERRORS;

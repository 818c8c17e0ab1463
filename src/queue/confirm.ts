import type { QueueFacts } from './facts.ts';
import { type Link, stackUp, verdictAt } from './links.ts';
import { type Marks, markOf } from './marks.ts';
import type { CheckSpec, Group, QueueEntry } from './snapshot.ts';
import { aboutOf, MAX_ERRORS, trailOf } from './verdict.ts';

/**
 * The next step about a single suspect. Quarantine is in three files: `quarantine.ts` narrows a group by what is known, `search.ts` picks
 * the next checks, and this file convicts a single suspect.
 */
export type Next =
  | { readonly do: 'reject'; readonly check: CheckSpec; readonly runs: readonly number[] }
  | Ask
  /** Another answer must come first. */
  | { readonly do: 'wait'; readonly meanwhile?: readonly Ask[] };

/** A check of the suspect, or of the head without it. */
export interface Ask {
  readonly do: 'run' | 'head';
  readonly check: CheckSpec;
  readonly broken: boolean;
  /** Checks for slots that have nothing else to do, the most useful first. */
  readonly meanwhile?: readonly Ask[];
}

/** An entry that is alone in its group, merged onto the head, with the ids of its red runs that count. */
export interface Suspect {
  readonly link: Link;
  readonly reds: readonly number[];
}

/** Adds red runs of single suspects to their marks: those on this head, and on earlier heads that were asked for it. */
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
      // A pass cancels the earlier reds of the same check. A red counts only if the head itself passes the check.
      reds = new Set([...reds].filter((id) => id > passed || facts.runs.byId.get(id)?.check !== check.id));
      if (trail && isProven(facts, entry, check, headTree)) for (const id of trail.fails) reds.add(id);
    }
  return [...reds].sort((a, b) => a - b);
}

/** True for a check that only the entry's task has: it may be red without the entry, so the head has nothing to prove. */
const isOwn = (facts: QueueFacts, entry: QueueEntry, check: CheckSpec) =>
  entry.own.includes(check) && !facts.snapshot.checks.some((one) => one.id === check.id);

const isProven = (facts: QueueFacts, entry: QueueEntry, check: CheckSpec, headTree: string) =>
  isOwn(facts, entry, check) || trailOf(facts.runs, headTree, check.id)?.answer === 'pass';

/** Decides about a single suspect. `others`: the chain wants a check too, whose result will also show whether the machine is healthy. */
export function confirm(facts: QueueFacts, suspect: Suspect, others: boolean): Next {
  const { link } = suspect;
  const verdict = verdictAt(facts, link);
  if (verdict.is === 'green') return { do: 'wait' };
  const guilty = link.checks.find((check) => isGuilty(facts, suspect, check));
  if (guilty) return { do: 'reject', check: guilty, runs: redsOf(facts, suspect, guilty) };
  if (verdict.is === 'open') {
    const { next: check, broken } = verdict;
    // The head must pass after the first red before the second run counts.
    return { do: 'run', check, broken, ...(!isOwn(facts, link.entry, check) && { meanwhile: [askHead(facts, check)] }) };
  }
  return afterRed(facts, suspect, verdict.check, others);
}

/** After so many reds in a row on other trees the machine may be at fault. With fewer, the checks that run anyway will tell. */
const REDS_ELSEWHERE = 5;

/** The check is red on the suspect, but not often enough to reject it. */
function afterRed(facts: QueueFacts, suspect: Suspect, check: CheckSpec, others: boolean): Next {
  const { snapshot, runs } = facts;
  const { link } = suspect;
  const run: Ask = { do: 'run', check, broken: isBroken(facts, link.tree, check) };
  if (isOwn(facts, link.entry, check)) return run;
  const head = askHead(facts, check);
  // The next run starts beside the head's: it counts if the head has passed by the time it ends, which saves the time of a check. Only
  // once: otherwise a check that fails at once would run over and over while the head takes its time.
  const isLast = (trailOf(runs, link.tree, check.id)?.fails.length ?? 0) > snapshot.retries;
  const beside = isLast ? [] : [run];
  if (!isProven(facts, link.entry, check, snapshot.headTree)) return { ...head, meanwhile: beside };
  const reds = redsOf(facts, suspect, check);
  const since = answersSince(facts, check, reds[0]!).filter((one) => one.tree !== aboutOf(runs, link.tree, check.id));
  if (since.some((one) => one.outcome === 'pass')) return run;
  // Every later run is red: the head, which passed before, tells whether it is the machine.
  return !others || since.length >= REDS_ELSEWHERE ? { ...head, meanwhile: beside } : { do: 'wait', meanwhile: [head, ...beside] };
}

const askHead = (facts: QueueFacts, check: CheckSpec): Ask => ({
  do: 'head',
  check,
  broken: isBroken(facts, facts.snapshot.headTree, check),
});

const redsOf = (facts: QueueFacts, { reds }: Suspect, check: CheckSpec) => reds.filter((id) => facts.runs.byId.get(id)?.check === check.id);

/**
 * Red often enough, and the same check passed somewhere between the first and the last of these runs. Otherwise a database that went down
 * would get every entry rejected, one after the other, and when it comes back those that were red meanwhile.
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

import { isReady, older, type QueueFacts } from './facts.ts';
import { judgedBy } from './green-lacks-approval.ts';
import { mergeOnto } from './links.ts';
import { type Marks, markOf } from './marks.ts';
import type { Chain, Group, Held, QueueEntry } from './snapshot.ts';
import { verdictOf } from './verdict.ts';

/** Entries waiting only for approval, and by which checks they were green. */
export type GreenForYes = ReadonlyMap<number, string>;

interface Before {
  readonly groups: readonly Group[];
  readonly held: readonly Held[];
  readonly marks: Marks;
  readonly green: GreenForYes;
}

interface After {
  readonly groups: readonly Group[];
  readonly green: GreenForYes;
  readonly merges: readonly Chain[];
}

/**
 * Checks an entry that needs a person's yes alone on the head, so that the person sees a verdict first. Before the yes it is not stacked
 * with others and does not land. Once green on some head it is not checked again for every new one, which would cost a check for each
 * landing; after the yes it is checked in the chain like any other.
 */
export function checkForYes(facts: QueueFacts, before: Before): After {
  const groups = before.groups.filter((group) => !group.yes || isWorthKeeping(facts, before.marks, group));
  const green = new Map(before.green);
  const merges: Chain[] = [];
  const known = new Set([...before.held, ...groups].flatMap((one) => one.ids));
  const waiting = [...facts.live.values()].filter((entry) => entry.awaitsYes && isReady(facts, entry));
  let room = roomFor(facts) - groups.filter((group) => group.yes).length;
  for (const entry of waiting.sort(older)) {
    const verdict = aloneOn(facts, entry);
    if (verdict === 'green' && !known.has(entry.id)) green.set(entry.id, judgedBy(facts.snapshot, entry));
    if (green.has(entry.id)) continue;
    if (!known.has(entry.id) && room-- <= 0) continue;
    if (!verdict) merges.push(mergeOnto([], entry));
    else if (!known.has(entry.id)) groups.push({ ids: [entry.id], trials: [], yes: true });
  }
  return { groups, green, merges };
}

/** False once it has its yes and nothing is against it: then it belongs in the chain. */
function isWorthKeeping(facts: QueueFacts, marks: Marks, { ids }: Group): boolean {
  const entry = facts.open.get(ids[0]!);
  if (!entry || entry.awaitsYes) return true;
  return markOf(marks, entry.id).reds.length > 0 || aloneOn(facts, entry) === 'red';
}

/** All slots while nothing else can use them, else a quarter, as for the search for culprits. */
function roomFor(facts: QueueFacts): number {
  const others = [...facts.open.values()].some((entry) => !entry.awaitsYes && isReady(facts, entry));
  return others ? Math.max(1, Math.floor(facts.slots / 4)) : facts.slots;
}

/** The verdict of an entry alone on the head; `undefined` while its merge is not known. */
function aloneOn({ snapshot, runs }: QueueFacts, entry: QueueEntry): 'green' | 'red' | 'open' | undefined {
  const result = snapshot.stacked.get(`${entry.id}`);
  return result?.kind === 'clean' ? verdictOf(runs, result.tree, [...snapshot.checks, ...entry.own]).is : undefined;
}

/** True if something was found against it: then it is a suspect like any other. */
export const isSuspect = (facts: QueueFacts, marks: Marks, group: Group) =>
  !group.yes || markOf(marks, group.ids[0]!).reds.length > 0 || aloneOn(facts, facts.open.get(group.ids[0]!)!) === 'red';

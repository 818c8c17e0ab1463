import { judgedBy } from './green.ts';
import { ask } from './line.ts';
import { isReady, type Look, lives, markOf, older } from './look.ts';
import type { Group, QueueEntry } from './snapshot.ts';
import { verdictOf } from './verdict.ts';

/**
 * An entry that needs a person's yes is checked alone on the head, so that the person sees a verdict first. Until it has the
 * yes it is stacked with nobody and does not land. Once it was green on some head it is not checked again for every new one:
 * that would cost a check for each landing, and after the yes it is checked in the chain like any other.
 */
export function checkForYes(look: Look): void {
  look.groups = look.groups.filter((group) => !group.yes || isWorthKeeping(look, group));
  const known = new Set([...look.held, ...look.groups].flatMap((one) => one.ids));
  const waiting = [...look.open.values()].filter((entry) => entry.awaitsYes && lives(look, entry.id) && isReady(look, entry));
  let room = roomFor(look) - look.groups.filter((group) => group.yes).length;
  for (const entry of waiting.sort(older)) {
    const verdict = aloneOn(look, entry);
    if (verdict === 'green' && !known.has(entry.id)) look.green.set(entry.id, judgedBy(look.snapshot, entry));
    if (look.green.has(entry.id)) continue;
    if (!known.has(entry.id) && room-- <= 0) continue;
    if (!verdict) ask(look, [], entry);
    else if (!known.has(entry.id)) look.groups.push({ ids: [entry.id], probes: [], yes: true });
  }
}

/** It has its yes and nothing speaks against it: then it belongs into the chain. */
function isWorthKeeping(look: Look, { ids }: Group): boolean {
  const [id] = ids;
  const entry = look.open.get(id!);
  if (!entry || entry.awaitsYes) return true;
  return markOf(look, entry.id).reds.length > 0 || aloneOn(look, entry) === 'red';
}

/** All slots while nothing else can use them, else a quarter, as for the search for culprits. */
function roomFor(look: Look): number {
  const others = [...look.open.values()].some((entry) => !entry.awaitsYes && isReady(look, entry));
  return others ? Math.max(1, Math.floor(look.slots / 4)) : look.slots;
}

/** The verdict of an entry alone on the head; `undefined` while its merge is not known. */
function aloneOn(look: Look, entry: QueueEntry): 'green' | 'red' | 'open' | undefined {
  const result = look.snapshot.stacked.get(`${entry.id}`);
  return result?.kind === 'clean' ? verdictOf(look.runs, result.tree, [...look.snapshot.checks, ...entry.own]).is : undefined;
}

/** Something was found against it: it is a suspect like any other. */
export const isSuspect = (look: Look, group: Group) =>
  !group.yes || markOf(look, group.ids[0]!).reds.length > 0 || aloneOn(look, look.open.get(group.ids[0]!)!) === 'red';

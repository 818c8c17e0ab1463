import { idsOf, segmentsOf, verdictAt } from './line.ts';
import { hasLanded, type Look, lives } from './look.ts';
import type { Chain, Held } from './snapshot.ts';

/** What is left of the prefix a held segment waits for. `undefined`: part of it ended without landing. */
export function restOf(look: Look, held: Held): Chain | undefined {
  const rest = held.behind.filter((id) => lives(look, id));
  const broken = held.behind.some((id, at) => !lives(look, id) && !hasLanded(look, held.tasks[at] ?? ''));
  return broken ? undefined : rest;
}

/**
 * Held segments wait for the prefix before them. It landed: the segment is to blame. It broke, or is not in front any more:
 * released without blame. True if there is a new group.
 */
export function settleHeld(look: Look): boolean {
  const front = idsOf(look.line.links);
  const groups = look.groups.length;
  look.held = look.held.flatMap((held) => {
    const ids = held.ids.filter((id) => lives(look, id));
    const rest = restOf(look, held);
    if (ids.length === 0) return [];
    if (rest?.length === 0) look.groups.push({ ids, probes: [] });
    else if (rest?.every((id, at) => front[at] === id)) return [{ ...held, ids }];
    else for (const id of ids) look.back.set(id, 'released without blame: the part before it broke');
    return [];
  });
  return look.groups.length > groups;
}

/**
 * The first red segment leaves the chain. In front of all it is to blame; behind a prefix that is still open it is held,
 * and the chain goes on without it. True if there was one.
 */
export function takeOutRed(look: Look): boolean {
  const { line } = look;
  for (const [at, end] of line.ends.entries()) {
    const verdict = verdictAt(look, line.links[end - 1]!);
    if (verdict.is !== 'red') continue;
    const segments = segmentsOf(line);
    const before = line.links.slice(0, line.ends[at - 1] ?? 0);
    const ids = segments[at]!;
    if (at === 0) look.groups.push({ ids, probes: [] });
    else look.held.push({ ids, behind: idsOf(before), tasks: before.map((link) => link.entry.task), run: verdict.run });
    for (const id of ids) look.back.delete(id);
    look.segments = segments.slice(0, at);
    look.line = { links: before, ends: line.ends.slice(0, at) };
    return true;
  }
  return false;
}

import { hasLanded, type QueueFacts } from './facts.ts';
import { type CutChain, idsOf, segmentsOf, verdictAt } from './links.ts';
import type { Released } from './quarantine.ts';
import type { Chain, Group, Held } from './snapshot.ts';

/** The part of the prefix that a held segment still waits for. `undefined`: some of it ended without landing. */
export function restOf(facts: QueueFacts, held: Held): Chain | undefined {
  const rest = held.behind.filter((id) => facts.live.has(id));
  const broken = held.behind.some((id, at) => !facts.live.has(id) && !hasLanded(facts, held.tasks[at] ?? ''));
  return broken ? undefined : rest;
}

interface HeldNow {
  readonly held: readonly Held[];
  readonly blamed: readonly Group[];
  readonly released: Released;
}

/**
 * Updates held segments, which wait for the prefix before them. If the prefix landed, the segment is to blame. If it broke, or is no longer
 * in front, the segment is released without blame.
 */
export function followHeld(facts: QueueFacts, before: readonly Held[], chain: CutChain): HeldNow {
  const front = idsOf(chain.links);
  const held: Held[] = [];
  const blamed: Group[] = [];
  const released = new Map<number, string>();
  for (const one of before) {
    const ids = one.ids.filter((id) => facts.live.has(id));
    const rest = restOf(facts, one);
    if (ids.length === 0) continue;
    if (rest?.length === 0) blamed.push({ ids, trials: [] });
    else if (rest?.every((id, at) => front[at] === id)) held.push({ ...one, ids });
    else for (const id of ids) released.set(id, 'back in the queue: the entries it was stacked on have changed');
  }
  return { held, blamed, released };
}

export interface TakenOut {
  /** The segments in front of it, which stay. */
  readonly segments: readonly Chain[];
  readonly ids: Chain;
  /** A red segment in front of all is to blame; behind a prefix that is still open it is held. */
  readonly blamed: readonly Group[];
  readonly held: readonly Held[];
}

/** The first red segment of the chain; the chain goes on without it. */
export function takeOutRed(facts: QueueFacts, chain: CutChain): TakenOut | undefined {
  for (const [at, end] of chain.ends.entries()) {
    const verdict = verdictAt(facts, chain.links[end - 1]!);
    if (verdict.is !== 'red') continue;
    const segments = segmentsOf(chain);
    const ids = segments[at]!;
    const before = { segments: segments.slice(0, at), ids };
    if (at === 0) return { ...before, blamed: [{ ids, trials: [] }], held: [] };
    const links = chain.links.slice(0, chain.ends[at - 1]);
    const held = { ids, behind: idsOf(links), tasks: links.map((link) => link.entry.task), run: verdict.run };
    return { ...before, blamed: [], held: [held] };
  }
  return undefined;
}

import { fill, keep } from './chain.ts';
import { countReds } from './confirm.ts';
import { restOf, settleHeld, takeOutRed } from './hold.ts';
import { idsOf, verdictAt } from './line.ts';
import type { Look } from './look.ts';
import type { QueuePlan } from './plan.ts';
import { activeGroups, probe, probesEach, type Search, searchIn, type Want } from './probes.ts';
import { narrowGroups } from './quarantine.ts';
import { type Settled, settle } from './settle.ts';
import { checkForYes } from './yes.ts';

/** Everything that follows from a snapshot, before it is fitted into the slots. */
export interface Decision extends Settled {
  readonly look: Look;
  readonly land: QueuePlan['land'];
  readonly reject: QueuePlan['reject'];
  readonly chain: readonly Want[];
  readonly searches: readonly Search[];
}

export function decide(look: Look): Decision {
  const settled = settle(look);
  const singles = look.asks;
  // Each round takes something out of the chain or clears something, and what was cleared twice rides alone: it ends.
  for (let left = 2 * look.open.size + 1; left > 0; left--) {
    look.asks = new Map(singles);
    look.clashing = new Map();
    look.pending = undefined;
    narrowGroups(look);
    checkForYes(look);
    keep(
      look,
      look.held.map((held) => restOf(look, held) ?? []),
    );
    if (settleHeld(look)) continue;
    fill(look, activeGroups(look));
    if (greenPart(look) > 0 || !takeOutRed(look)) break;
  }
  for (const group of look.groups) countReds(look, group);
  const land = landing(look);
  const { links, ends } = look.line;
  const chain = ends.flatMap((end) => probe(look, links.slice(0, end), 'chain'));
  const groups = activeGroups(look);
  // While merges are awaited the chain is taken for complete: its slots are not given away for a moment.
  const each = probesEach(look, look.pending === undefined ? ends.length : look.slots, groups);
  const searches = look.groups.map((group) => searchIn(look, group, each, chain.length > 0 || look.pending !== undefined));
  return { ...settled, look, land, reject: rejections(look, searches), chain, searches };
}

/** How many entries in front of the chain are green together: verdicts go by tree, so it need not be whole segments. */
function greenPart(look: Look): number {
  return look.line.links.findLastIndex((link) => verdictAt(look, link).is === 'green') + 1;
}

function landing(look: Look): QueuePlan['land'] {
  const links = look.line.links.slice(0, greenPart(look));
  const top = links.at(-1);
  return top && { entries: idsOf(links), tree: top.tree, head: look.snapshot.head, unchecked: top.checks.length === 0 };
}

function rejections(look: Look, searches: readonly Search[]): QueuePlan['reject'] {
  return searches.flatMap(({ group, next }) => {
    if (next?.do !== 'reject') return [];
    const { tree } = look.runs.byId.get(next.runs.at(-1)!)!;
    return [{ entry: group.ids[0]!, check: next.check.id, tree, head: look.snapshot.head, runs: next.runs }];
  });
}

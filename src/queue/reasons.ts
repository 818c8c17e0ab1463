import type { QueueFacts } from './facts.ts';
import type { CutChain } from './links.ts';
import { type Marks, markOf } from './marks.ts';
import { ridesAlone } from './order.ts';
import type { Chain, Group, QueueEntry } from './snapshot.ts';

/** An entry that needs a yes is checked before it has one. */
export const beforeYes = ({ review }: QueueEntry) =>
  `checked alone; ${review ? review.text : 'when it passes, it waits for your approval'}`;

export const HELD = 'on hold: checks fail with it included; entries ahead of it are still being checked';

/** The segment of the chain that an entry is checked in, and with how many others. */
export function ridingText({ ends }: CutChain, segment: Chain, at: number, marks: Marks): string {
  const others = segment.length - 1;
  const company = others === 0 ? 'alone' : `with ${count(others, 'other', 'others')}`;
  const cleared = others === 0 && ridesAlone(markOf(marks, segment[0]!)) ? ', cleared twice' : '';
  const place = ends.length === 1 ? '' : `, ${ordinal(at + 1)} of ${ends.length} segments`;
  return `being checked ${company}${cleared}${place}`;
}

export function suspicionText({ snapshot: { retries } }: QueueFacts, group: Group, marks: Marks): string {
  if (group.ids.length > 1) return `one of ${group.ids.length} entries, at least one of which fails`;
  const reds = markOf(marks, group.ids[0]!).reds.length;
  if (reds === 0) return 'suspected: checked alone on the head';
  return reds > retries ? 'fails alone on the head' : `fails alone on the head, run again (${reds} of ${retries})`;
}

export const count = (n: number, one: string, many: string) => `${n} ${n === 1 ? one : many}`;

function ordinal(n: number): string {
  const tail = n % 100 > 10 && n % 100 < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th');
  return `${n}${tail}`;
}

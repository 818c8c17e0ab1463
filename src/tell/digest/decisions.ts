import { cutTo, type Draft, oneLine, type Section } from './section.ts';
import type { Decision } from './snapshot.ts';
import { sizeOf } from './tokens.ts';

const SHOW_ALL = 'furrow status';

/** Ways to write the same decisions, from many words to few. Each names all of them. */
const WAYS: readonly ((decisions: readonly Decision[]) => string[])[] = [
  (all) => all.map((one) => `${nameOf(one)}: ${oneLine(one.reason, 400)} → ${one.commands.map((text) => oneLine(text, 100)).join(' | ')}`),
  (all) => all.map((one) => `${nameOf(one)}: ${oneLine(one.reason, 120)} → ${oneLine(one.commands[0] ?? SHOW_ALL, 60)}`),
  (all) => [...all.map((one) => `${nameOf(one)}: ${oneLine(one.reason, 40)}`), SHOW_ONE],
  (all) => [...byKind(all), SHOW_ONE],
  // 25 decisions of 25 kinds do not fit into the smallest budget with the names of their kinds.
  (all) => [`ids: ${all.map((one) => one.id).join(', ')}`, SHOW_ONE],
];

const SHOW_ONE = 'furrow next ID shows one of them';

const nameOf = ({ id, kind, subject }: Decision) => `?${id} ${kind} ${oneLine(subject, 60)}`;

/** `parked: 3, 5, 7`. */
const byKind = (all: readonly Decision[]) =>
  [...Map.groupBy(all, (one) => one.kind)].map(([kind, some]) => `${kind}: ${some.map((one) => one.id).join(', ')}`);

/**
 * Everything that waits for a decision. It is written in the most words that fit into `usual`; when the fewest do not, into `most`; and
 * when not even that is enough, the most urgent ones are named, and the rest is counted.
 */
export function decisionLines(decisions: readonly Decision[], hidden: number, usual: number, most: number): Section {
  const title = titleOf(decisions.length, hidden);
  for (const way of WAYS) {
    const lines = [title, ...(decisions.length > 0 ? way(decisions) : [])];
    if (sizeOf(...lines) <= usual) return { name: NAME, lines, left_out: 0 };
  }
  const fewest = [title, ...WAYS.at(-1)!(decisions)];
  if (sizeOf(...fewest) <= most) return { name: NAME, lines: fewest, left_out: 0 };
  const draft: Draft = {
    name: NAME,
    lines: [title, ...decisions.map(({ id, kind }) => `?${id} ${kind}`)],
    more: (count) => `and ${count} more: ${SHOW_ALL}`,
  };
  return cutTo(draft, most);
}

const NAME = 'decisions';

function titleOf(count: number, hidden: number): string {
  const others = hidden === 0 ? '' : ` (and ${hidden} of other agents wait for a person)`;
  if (count === 0) return `nothing needs a decision${others}`;
  return `${count} ${count === 1 ? 'thing needs' : 'things need'} a decision${others}`;
}

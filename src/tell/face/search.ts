import type { FarmEvent } from '../../api/contract.ts';

const FIELDS = ['agent', 'task', 'kind'] as const;
type Field = (typeof FIELDS)[number];

interface Filter {
  readonly field: Field;
  readonly value: string;
  /** `-kind:check`: everything else. */
  readonly not: boolean;
}

/** A search as a person types it: `task:12 kind:landing "exit 1"`. Every part must hold; capitals do not matter. */
export interface Search {
  readonly filters: readonly Filter[];
  readonly words: readonly string[];
}

/** A part: `agent:`, `task:` or `kind:` with a name, or a word, or a text in quotes. A quote that is never closed ends with the text. */
const PART = /(-?)(agent|task|kind):(?:"([^"]*)(?:"|$)|(\S*))|"([^"]*)(?:"|$)|(\S+)/gi;

export function parseSearch(typed: string): Search {
  const filters: Filter[] = [];
  const words: string[] = [];
  for (const [, minus, field, quotedName, name, quoted, word] of typed.toLowerCase().matchAll(PART)) {
    if (field !== undefined) filters.push({ field: field as Field, value: quotedName ?? name ?? '', not: minus === '-' });
    else words.push(quoted ?? word ?? '');
  }
  return { filters, words: words.filter((word) => word !== '') };
}

/** True when all parts of a search hold for an event. */
export function findsEvent({ filters, words }: Search, event: FarmEvent): boolean {
  if (!filters.every((filter) => holds(filter, event) !== filter.not)) return false;
  if (words.length === 0) return true;
  const text = `${event.kind} ${event.agent ?? ''} ${event.task ?? ''} ${event.text}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

/** `kind:landing` is every kind of landing; names of tasks and agents are whole. A filter that is still being typed leaves all. */
function holds({ field, value, not }: Filter, event: FarmEvent): boolean {
  if (value === '') return !not;
  const is = event[field]?.toLowerCase();
  return is === value || (field === 'kind' && is !== undefined && is.startsWith(value));
}

/** True when a line of a log has all words of a search; its filters are not about lines. */
export function findsLine({ words }: Search, line: string): boolean {
  const text = line.toLowerCase();
  return words.every((word) => text.includes(word));
}

/** A text in pieces, those that a search found marked: what a face paints. Their texts together are the text. */
export function marked(search: Search, text: string): { readonly text: string; readonly found: boolean }[] {
  const spans = merged(search.words.flatMap((word) => occurrences(text.toLowerCase(), word)).filter(() => sameLength(text)));
  let at = 0;
  const pieces = spans.flatMap(([from, to]) => {
    const before = { text: text.slice(at, from), found: false };
    at = to;
    return [before, { text: text.slice(from, to), found: true }];
  });
  return [...pieces, { text: text.slice(at), found: false }].filter((piece) => piece.text !== '');
}

/** Some letters become two in lower case, which would move the places that are found. */
const sameLength = (text: string) => text.toLowerCase().length === text.length;

type Range = readonly [from: number, to: number];

function occurrences(text: string, word: string): Range[] {
  const found: Range[] = [];
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) found.push([at, at + word.length]);
  return found;
}

function merged(ranges: readonly Range[]): Range[] {
  const out: [number, number][] = [];
  for (const [from, to] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const last = out.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else out.push([from, to]);
  }
  return out;
}

import { FurrowError } from '../../platform/error.ts';
import type { Fields, Refusal, Value } from './field.ts';
import type { FieldPlace } from './field-place.ts';
import { readFields } from './fields.ts';
import { plainPlaces, readPlainFields } from './fields-plain.ts';
import { readYamlFields, type Tree } from './fields-yaml.ts';
import { type Printable, printBlock, printFlow, printScalar } from './print-yaml.ts';

/** `undefined`, `null` and the empty list remove the key: kanban-md writes no empty field. */
export type Change = Printable | null | undefined;

/** The order of kanban-md's fields; furrow's own come after them. */
const ORDER =
  'id title status priority created updated started completed assignee tags due estimate parent depends_on blocked block_reason claimed_by claimed_at class agent model effort paths needs check race review budget issue'.split(
    ' ',
  );

interface Edit {
  from: number;
  to: number;
  text: string;
}

/**
 * Changes top-level keys of a block mapping by cutting at source positions, so that everything else stays as written. Printing from
 * `yaml`'s own document changed 3 to 5 lines of each of six ordinary files for one status, in the same time. All cuts are found in one
 * reading, by the fast reader where it can: with one in the YAML parser for each key a new task took 18 ms.
 */
export function patchYaml(source: string, changes: Record<string, Change>, eol: string): string {
  const whole = source === '' || source.endsWith('\n') ? source : source + eol;
  const plain = readPlainFields(whole);
  return patchRead(source, whole, plain ? { ok: true, fields: plain, places: plainPlaces(whole) } : readYamlFields(whole), changes, eol);
}

/** The same by the YAML parser alone: a property test compares both. */
export function patchByParser(source: string, changes: Record<string, Change>, eol: string): string {
  const whole = source === '' || source.endsWith('\n') ? source : source + eol;
  return patchRead(source, whole, readYamlFields(whole), changes, eol);
}

function patchRead(source: string, whole: string, read: Tree | Refusal, changes: Record<string, Change>, eol: string): string {
  if (!read.ok) throw unreadable(read.reason);
  const edits = Object.entries(changes)
    .toSorted(([a], [b]) => rankOf(a) - rankOf(b))
    .flatMap(([key, change]) => editOf(whole, read, key, wanted(change), eol) ?? []);
  if (edits.length === 0) return source;
  const patched = apply(whole, edits);
  // A last line without an end keeps it so, unless something comes after it.
  const text = whole !== source && edits.every(({ to }) => to < whole.length) ? patched.slice(0, -eol.length) : patched;
  verify(read.fields, text, changes);
  return text;
}

/** Edits at one place are made in the order given. */
function apply(source: string, edits: readonly Edit[]): string {
  let [text, at] = ['', 0];
  for (const { from, to, text: by } of edits.toSorted((a, b) => a.from - b.from || a.to - b.to)) {
    text += source.slice(at, from) + by;
    at = to;
  }
  return text + source.slice(at);
}

const rankOf = (key: string) => (ORDER.includes(key) ? ORDER.indexOf(key) : ORDER.length);

function wanted(change: Change): Printable | undefined {
  if (change === null || change === undefined) return undefined;
  return Array.isArray(change) && change.length === 0 ? undefined : change;
}

function editOf(source: string, { fields, places }: Tree, key: string, value: Printable | undefined, eol: string): Edit | undefined {
  const place = places.find((one) => one.key === key);
  if (place && value !== undefined && same(fields.get(key)!.value, value)) return undefined;
  if (!place && value === undefined) return undefined;
  return place ? change(place, value, eol) : insertion(source, places, key, value!, eol);
}

function change({ key, start, end, after, inline, list }: FieldPlace, value: Printable | undefined, eol: string): Edit {
  if (value === undefined) return { from: start, to: end, text: '' };
  // A list that begins on the key's own line would be nested, which is never read as a field.
  if (list && list.from > start && isList(value)) return { from: list.from, to: end, text: printBlock(key, value, list.indent, eol) };
  const text = isList(value) ? printFlow(key, value) : printScalar(key, value);
  if (!inline) return { from: after, to: end, text: ` ${text}${eol}` };
  return inline.from === inline.to ? { from: after, to: after, text: ` ${text}` } : { ...inline, text };
}

function insertion(source: string, places: readonly FieldPlace[], key: string, value: Printable, eol: string): Edit {
  const at = placeFor(source, places, key);
  const indent = places[0]?.indent ?? '';
  const text = isList(value)
    ? `${indent}${key}:${eol}${printBlock(key, value, `${indent}${listIndent(places)}`, eol)}`
    : `${indent}${key}: ${printScalar(key, value)}${eol}`;
  return { from: at, to: at, text };
}

/** As the lists that are there are set in; kanban-md sets them in by four spaces, prettier by two. */
const listIndent = (places: readonly FieldPlace[]): string => places.find(({ list }) => list)?.list?.indent ?? '  ';

/** After the nearest key that comes before it in kanban-md's order; an unknown key goes to the end. */
function placeFor(source: string, places: readonly FieldPlace[], key: string): number {
  const rank = ORDER.indexOf(key);
  if (rank < 0) return source.length;
  let before: { rank: number; end: number } | undefined;
  let first = source.length;
  for (const { key: known, start, end } of places) {
    const other = ORDER.indexOf(known);
    if (other >= 0 && other < rank && (!before || other >= before.rank)) before = { rank: other, end };
    if (other > rank) first = Math.min(first, start);
  }
  return before ? before.end : first;
}

function isList(value: Printable): value is readonly string[] {
  return Array.isArray(value);
}

function same(now: Value, value: Printable): boolean {
  if (isList(value)) return Array.isArray(now) && now.length === value.length && now.every((item, n) => item === value[n]);
  return now === String(value);
}

/** Refuses a patch that does not read back as intended, or that touches another key. */
function verify(was: Fields, after: string, changes: Record<string, Change>): void {
  const is = readFields(after);
  if (!is.ok) throw unreadable(is.reason);
  for (const key of new Set([...was.keys(), ...is.fields.keys(), ...Object.keys(changes)])) {
    const value = is.fields.get(key)?.value;
    const good = key in changes ? reads(value, wanted(changes[key])) : JSON.stringify(value) === JSON.stringify(was.get(key)?.value);
    if (!good) throw unreadable(`${key} cannot be changed in place`);
  }
}

function reads(now: Value | undefined, value: Printable | undefined): boolean {
  return value === undefined ? now === undefined : now !== undefined && same(now, value);
}

function unreadable(reason: string): FurrowError {
  return new FurrowError('TASK_UNREADABLE', `the file cannot be patched: ${reason}`, { hint: 'furrow list' });
}

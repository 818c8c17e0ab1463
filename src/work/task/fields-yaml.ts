import { isAlias, isMap, isScalar, isSeq, LineCounter, type Pair, parseDocument, type Scalar, YAMLMap } from 'yaml';
import { keptByText } from '../../platform/cache.ts';
import { type Field, type Fields, isNullWord, NESTED, type Refusal, type Value } from './field.ts';
import type { FieldPlace } from './field-place.ts';

export interface Tree {
  ok: true;
  fields: Fields;
  places: readonly FieldPlace[];
}

/** A patch starts from the text that the last one made, above all for `next_id` of a board. */
const MOST_READ = 8;

/**
 * Reads any block mapping. The failsafe schema keeps every scalar as written, and aliases are never expanded, so many of them cost nothing.
 */
export const readYamlFields = keptByText(MOST_READ, (source): Tree | Refusal => {
  const lineCounter = new LineCounter();
  const doc = parseDocument(source, { schema: 'failsafe', lineCounter, prettyErrors: false, logLevel: 'error' });
  const lineOf = (offset: number) => Math.max(1, lineCounter.linePos(offset).line);
  const error = doc.errors[0];
  // The parser reports an unclosed construct at the end of the source: the last line with text is nearer to the fault.
  const last = source.trimEnd().length;
  if (error) return { ok: false, line: lineOf(Math.min(error.pos[0], last)), reason: `not YAML: ${error.message.split('\n', 1)[0]}` };
  const map = doc.contents ?? new YAMLMap();
  if (!isMap(map) || map.flow) return { ok: false, line: 1, reason: 'the frontmatter must be one `key: value` a line' };

  const fields = new Map<string, Field>();
  for (const pair of map.items as Pair<unknown, unknown>[]) {
    const { key } = pair;
    if (!isScalar(key) || typeof key.value !== 'string' || !key.range) return { ok: false, line: 1, reason: 'a key must be plain text' };
    const line = lineOf(key.range[0]);
    if (isExplicit(source, key.range[0])) return { ok: false, line, reason: 'a key must be plain text' };
    fields.set(key.value, { value: fieldValue(pair.value), line });
  }
  return { ok: true, fields, places: (map.items as Pair<Scalar<string>, unknown>[]).map((pair) => placeOf(source, pair)) };
});

function placeOf(source: string, { key, value }: Pair<Scalar<string>, unknown>): FieldPlace {
  const node = value as { range?: [number, number, number] | null } | null;
  const [from, to] = key.range!;
  const [start, last] = [lineStart(source, from), Math.max(to, node?.range?.[1] ?? 0)];
  const newline = source[last - 1] === '\n' ? last - 1 : source.indexOf('\n', last);
  const place = {
    key: key.value,
    indent: source.slice(start, from),
    start,
    end: newline < 0 ? source.length : newline + 1,
    after: source.indexOf(':', to) + 1,
  };
  if (!node?.range || !(isScalar(node) || isSeq(node))) return place;
  const [first, end] = node.range;
  if (isScalar(node) || node.flow) return source.slice(first, end).includes('\n') ? place : { ...place, inline: { from: first, to: end } };
  const line = lineStart(source, first);
  return { ...place, list: { from: line, indent: source.slice(line, first) } };
}

const lineStart = (source: string, offset: number) => source.lastIndexOf('\n', offset - 1) + 1;

/** `? key`, an anchor or a tag before the key: the key is not the first thing on its line. */
function isExplicit(source: string, offset: number): boolean {
  const start = source.lastIndexOf('\n', offset - 1) + 1;
  return source.slice(start, offset).trim() !== '';
}

function fieldValue(node: unknown): Value {
  if (node === null || node === undefined) return null;
  if (isAlias(node)) return NESTED;
  if (isScalar(node)) {
    const text = String(node.value ?? '');
    return node.type === 'PLAIN' && isNullWord(text) ? null : text;
  }
  if (!isSeq(node)) return NESTED;
  const items: string[] = [];
  for (const item of node.items) {
    if (!isScalar(item)) return NESTED;
    items.push(String(item.value ?? ''));
  }
  return items;
}

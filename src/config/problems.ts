import { type Document, isAlias, isMap, isScalar, isSeq, type LineCounter, type Node, type Pair } from 'yaml';
import type { z } from 'zod';
import { suggest } from '../platform/suggest.ts';
import { fileSchema } from './schema.ts';
import { child, keysOf, unwrap } from './schema-walk.ts';

type Path = readonly PropertyKey[];

export interface Problem {
  readonly path: Path;
  readonly text: string;
  /** The trouble is with the key at the end of the path, not with its value. */
  readonly atKey?: boolean;
}

/** Turns zod's issues into sentences. The same place is named once, however many rules it breaks. */
export function describeIssues(issues: readonly z.core.$ZodIssue[], raw: unknown): Problem[] {
  const problems = issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownKey(issue.path, key));
    return [issue.code === 'invalid_key' ? wrongName(issue.path) : wrongValue(issue.path, raw)];
  });
  return [...new Map(problems.map((p) => [p.text, p])).values()];
}

function unknownKey(path: Path, key: string): Problem {
  const known = keysOf(schemaAt(path)) ?? [];
  const near = suggest(key, known);
  const meant = near ? `"${near}"` : elsewhere(key);
  const where = path.length > 0 ? ` in ${pathText(path)}` : '';
  const help = meant ? `did you mean ${meant}?` : `the keys are ${known.join(', ')}`;
  return { path: [...path, key], text: `unknown key "${key}"${where}; ${help}`, atKey: true };
}

/** The same key at the top of the file, or in the one section that has it. */
function elsewhere(key: string): string | undefined {
  const top = keysOf(fileSchema)!;
  const homes = top.filter((section) => keysOf(child(fileSchema, section))?.includes(key)).map((section) => `"${section}.${key}"`);
  return top.includes(key) ? `"${key}" at the top of the file` : homes.length === 1 ? homes[0] : undefined;
}

function wrongName(path: Path): Problem {
  const parent = path.slice(0, -1);
  return { path, text: `${pathText(parent)}: expected ${expectedAt(parent)}, found the name "${String(path.at(-1))}"`, atKey: true };
}

function wrongValue(path: Path, raw: unknown): Problem {
  const found = path.reduce<unknown>(
    (value, key) => (typeof value === 'string' ? value : (value as Record<PropertyKey, unknown>)[key]),
    raw,
  );
  const where = path.length > 0 ? pathText(path) : 'the file';
  const expected = `expected ${expectedAt(path)}`;
  return { path, text: found === undefined ? `${where}: missing; ${expected}` : `${where}: ${expected}, found ${inWords(found)}` };
}

function expectedAt(path: Path): string {
  const schema = schemaAt(path);
  return (schema && unwrap(schema).meta?.expected) ?? 'a map of keys';
}

function schemaAt(path: Path): z.core.$ZodType | undefined {
  return path.reduce<z.core.$ZodType | undefined>(child, fileSchema);
}

/** `checks[2].run`: items count from 1, as people do. */
function pathText(path: Path): string {
  return path.map((key, i) => (typeof key === 'number' ? `[${key + 1}]` : `${i > 0 ? '.' : ''}${String(key)}`)).join('');
}

function inWords(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a map';
  const text = String(value);
  return text === '' ? 'nothing' : JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}

/** The line on which the thing at this path stands; of something missing, where its parent begins. */
export function lineOf(doc: Document, lines: LineCounter, { path, atKey }: Problem): number {
  let node: unknown = doc.contents;
  let offset = startOf(node) ?? 0;
  for (const [i, step] of path.entries()) {
    const pair = pairAt(isAlias(node) ? node.resolve(doc) : node, step);
    if (!pair) break;
    node = pair.value;
    const wanted = atKey && i === path.length - 1 ? pair.key : node;
    offset = startOf(wanted) ?? startOf(pair.key) ?? offset;
  }
  return lines.linePos(offset).line;
}

function pairAt(node: unknown, step: PropertyKey): Pick<Pair, 'key' | 'value'> | undefined {
  if (isSeq(node)) return { key: undefined, value: node.items[Number(step)] };
  return isMap(node) ? node.items.find((pair) => isScalar(pair.key) && pair.key.value === step) : undefined;
}

const startOf = (node: unknown) => (node as Node | null | undefined)?.range?.[0];

import { type Document, isAlias, isScalar, LineCounter, parseDocument, visit } from 'yaml';
import type { z } from 'zod';
import { FurrowError } from '../platform/error.ts';
import { agentSchema } from './agent-schema.ts';
import { contradictions, driverOf, KINDS } from './contradictions.ts';
import { describeIssues, lineOf } from './problems.ts';
import { checkSchema } from './queue-schema.ts';
import { type AgentKind, type Check, type Config, type ConfigFile, fileSchema } from './schema.ts';
import { child, keysOf } from './schema-walk.ts';

/** Reads a configuration, or says everything that is wrong with it, each with its line. */
export function parseConfig(text: string, file: string): Config {
  const { doc, lines, faults } = readYaml(text);
  if (faults.length > 0) throw wrong(file, faults);
  const raw = withoutEmpty(toValue(doc, file), fileSchema);
  const parsed = fileSchema.safeParse(raw);
  const problems = [...describeIssues(parsed.error?.issues ?? [], raw), ...contradictions(raw)];
  if (parsed.success && problems.length === 0) return complete(parsed.data);
  const placed = problems.map((problem): [number, string] => [lineOf(doc, lines, problem), problem.text]);
  throw wrong(file, placed);
}

function toValue(doc: { toJS(options: { maxAliasCount: number }): unknown }, file: string): unknown {
  try {
    return doc.toJS({ maxAliasCount: 100 });
  } catch {
    throw wrong(file, [[1, 'its aliases would unfold into more than 100 copies']]);
  }
}

function wrong(file: string, problems: readonly [line: number, text: string][]): FurrowError {
  // Messages quote the file on a terminal: no control character of it may get there.
  const plain = (text: string) => text.replaceAll(/[\0-\x1f\x7f-\x9f]/g, '?');
  const sorted = problems.toSorted(([a], [b]) => a - b).map(([line, text]) => `${file}:${line}: ${plain(text)}`);
  return new FurrowError('CONFIG', sorted.join('\n'), { hint: `edit ${file}, then: furrow config` });
}

/** The settings of a kind that furrow.yaml says nothing about. */
export const defaultsOf = (kind: string): AgentKind => toKind(kind, agentSchema.parse({}));

function toKind(name: string, { timeout, stuck, driver, ...kind }: z.output<typeof agentSchema>): AgentKind {
  return { ...kind, driver: driver ?? driverOf(name), timeoutMs: timeout, stuckMs: stuck };
}

function complete({ agents, check, checks = [], queue, ...rest }: ConfigFile): Config {
  const builtIn = Object.fromEntries(KINDS.map((name) => [name, agentSchema.parse({})]));
  const kinds = Object.entries({ ...builtIn, ...agents }).map(([name, kind]): [string, AgentKind] => [name, toKind(name, kind)]);
  const written = check === undefined ? checks : [checkSchema.parse({ name: 'check', run: check })];
  const after = queue.after.map(toCheck);
  return { ...rest, agents: Object.fromEntries(kinds), checks: written.map(toCheck), queue: { ...queue, after } };
}

function toCheck({ name, run, timeout, env, dir, paths, needs }: NonNullable<ConfigFile['checks']>[number], i: number): Check {
  const where = { ...(dir !== undefined && { dir }), ...(paths !== undefined && { paths }), ...(needs !== undefined && { needs }) };
  return { name: name ?? `check-${i + 1}`, run, timeoutMs: timeout, env, ...where };
}

export interface ReadYaml {
  readonly doc: Document;
  readonly lines: LineCounter;
  /** Line and text of each fault; when there are any, the document is not to be used. */
  readonly faults: [line: number, text: string][];
}

/** `failsafe` leaves every scalar the text that was written; the schema knows which of them are numbers. */
export function readYaml(text: string): ReadYaml {
  const lines = new LineCounter();
  const doc = parseDocument(text, { lineCounter: lines, prettyErrors: false, schema: 'failsafe', logLevel: 'error' });
  const faults = [...doc.errors, ...doc.warnings].map((fault): [number, string] => [
    lines.linePos(fault.pos[0]).line,
    fault.code === 'MULTIPLE_DOCS' ? 'expected one document, found a second one' : fault.message,
  ]);
  visit(doc, {
    Alias(_key, alias) {
      if (!alias.resolve(doc)) faults.push([lines.linePos(alias.range?.[0] ?? 0).line, `there is no anchor "${alias.source}"`]);
    },
    Pair(_key, { key }) {
      if (!isScalar(key) && !isAlias(key)) faults.push([1, 'expected keys that are plain text']);
    },
  });
  return { doc, lines, faults };
}

/** A key with nothing after it counts as left out: people comment out what stood below. */
export function withoutEmpty(value: unknown, schema: z.core.$ZodType | undefined): unknown {
  const section = keysOf(schema) !== undefined;
  if (isEmpty(value)) return section ? {} : '';
  if (Array.isArray(value)) return value.map((item) => withoutEmpty(item, child(schema, 0)));
  if (typeof value !== 'object') return value;
  const entries = Object.entries(value as object).filter(([, inner]) => !section || !isEmpty(inner));
  return Object.fromEntries(entries.map(([key, inner]) => [key, withoutEmpty(inner, child(schema, key))]));
}

const isEmpty = (value: unknown) => value === null || value === '' || value === '~' || value === 'null';

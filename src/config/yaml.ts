import { type Document, isAlias, isScalar, LineCounter, parseDocument, visit } from 'yaml';
import type { z } from 'zod';
import { child, keysOf } from './walk.ts';

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

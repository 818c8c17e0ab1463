/** A mapping, a list of lists or an alias: no field of a task may be one. */
export const NESTED: unique symbol = Symbol('nested');

/** Scalars stay as they are written: `007` is text here, and so are `yes` and `1e3`. */
export type Value = string | null | readonly string[] | typeof NESTED;

export interface Field {
  value: Value;
  /** Line of the key, counted from the first line of the source. */
  line: number;
}

export type Fields = ReadonlyMap<string, Field>;

export interface Refusal {
  ok: false;
  line: number;
  reason: string;
}

/** True for words that YAML reads as null when they are not quoted. */
export function isNullWord(text: string): boolean {
  return text === '' || text === '~' || text === 'null' || text === 'Null' || text === 'NULL';
}

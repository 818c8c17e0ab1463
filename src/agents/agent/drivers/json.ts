/** A JSON object of a foreign program, read field by field: a field that is missing or of another type is no reason to fail. */
export type Fields = Readonly<Record<string, unknown>>;

export function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

/** Parses one line of JSON; undefined when it is not JSON. */
export function parsed(line: string): Fields | undefined {
  try {
    return fields(JSON.parse(line));
  } catch {
    return undefined;
  }
}

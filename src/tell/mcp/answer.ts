import type { Answer } from './tool.ts';

/** Results stay in the context of a model for the rest of its conversation: about a thousand tokens. */
export const MOST_BYTES = 4096;
/** Rows of a list; the rest of the room is for what stands beside them. */
const ROWS_BYTES = 3200;

/** A sentence, and what it says as data. The sentence is in there as well: Claude Code and Codex show their models the data alone. */
export const said = (text: string, data: Readonly<Record<string, unknown>>): Answer => ({ text, data: { ...data, says: text } });

/** Data that is its own text. */
export const told = (data: Readonly<Record<string, unknown>>): Answer => ({ text: JSON.stringify(data), data });

type Rows<N extends string, T> = { readonly [name in N]: readonly T[] } & { readonly left_out?: { count: number; next: string } };

/** As many rows as fit, from the first on. `left_out`: how many more there are, and the command that shows them. */
export function rows<N extends string, T>(name: N, all: readonly T[], next: string, room = ROWS_BYTES): Rows<N, T> {
  const shown: T[] = [];
  let bytes = 0;
  for (const row of all) {
    bytes += Buffer.byteLength(JSON.stringify(row)) + 1;
    if (bytes > room && shown.length > 0) break;
    shown.push(row);
  }
  const more = all.length - shown.length;
  return { [name]: shown, ...(more > 0 && { left_out: { count: more, next } }) } as Rows<N, T>;
}

/** Cuts a text to so many bytes, and says how much was cut and where the whole text is. */
export function cut(text: string, most: number, where: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= most) return text;
  const note = `… (${bytes.length} bytes in all: ${where})`;
  const room = Math.max(0, most - Buffer.byteLength(note));
  // A character that was cut in two decodes to a replacement mark.
  return `${bytes
    .subarray(0, room)
    .toString('utf8')
    .replace(/\uFFFD$/, '')}${note}`;
}

/** An answer within the bound: data that is too large is left out, for its text says the beginning of the same. */
export function bounded({ text, data }: Answer): Answer {
  const fits = data !== undefined && Buffer.byteLength(JSON.stringify(data)) <= MOST_BYTES;
  return { text: cut(text, MOST_BYTES, 'ask for less of it'), ...(fits && { data }) };
}

import { SECRET_SHAPES } from '../../platform/secrets/shapes.ts';

/** Something that looks like a key. Its value stays in memory for comparison and is never stored. */
export interface FoundKey {
  readonly line: number;
  readonly name: string;
  readonly value: string;
}

/** With the first line of its content: a text that only names the marker holds no key. */
const PRIVATE = String.raw`-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:\s|\\[nr])*(?:[A-Za-z-]+: [^\n]*\s+)*[A-Za-z0-9+/=]{20,}`;

const SHAPES = [...SECRET_SHAPES.filter(({ name }) => name !== 'private key'), { name: 'private key', shape: new RegExp(PRIVATE) }];
const FORMS = new RegExp(SHAPES.map(({ shape }) => `(${shape.source})`).join('|'), 'g');

const SLICE = 256 * 1024;
/** The longest form that may be split between two slices. */
const OVERLAP = 1024;
/** The most that are reported; nobody reads more. */
const MOST = 20;

/** The keys in a text, in order. It pauses after each slice, so that a large text does not block the daemon. */
export async function keysIn(text: string, pause: () => Promise<unknown>): Promise<FoundKey[]> {
  const found: FoundKey[] = [];
  let [line, counted] = [1, 0];
  for (let start = 0; start < text.length && found.length < MOST; start += SLICE) {
    if (start > 0) await pause();
    for (const match of text.slice(start, start + SLICE + OVERLAP).matchAll(FORMS)) {
      if (match.index >= SLICE || found.length === MOST) break;
      const [value] = match;
      if (isPlaceholder(value)) continue;
      const at = start + match.index;
      line += count(text, counted, at);
      counted = at;
      found.push({ line, name: SHAPES[match.slice(1).findIndex((part) => part !== undefined)]!.name, value });
    }
  }
  return found;
}

/** Examples in documents, and names of style sheets such as `sk-folding-cube-left`. */
function isPlaceholder(value: string): boolean {
  if (/example|your[-_]|xxxx|0000000|\.\.\./i.test(value) || !/\d/.test(value)) return true;
  if (/^sk-/.test(value) && !/[A-Z]/.test(value)) return true;
  return new Set(value.slice(4)).size < 6;
}

function count(text: string, from: number, to: number): number {
  let lines = 0;
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}

/** The start of a key: enough to find it, too little to use it. */
export const masked = (value: string): string => `${value.startsWith('-----BEGIN') ? '-----BEGIN' : value.slice(0, 4)}…`;

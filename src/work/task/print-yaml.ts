export type Printable = string | number | boolean | readonly string[];

/** kanban-md stores these as integers, so whole numbers are written without quotes. */
const ID_KEYS = new Set(['id', 'parent', 'depends_on']);
const TIME_KEYS = new Set(['created', 'updated', 'started', 'completed', 'claimed_at']);
const WHOLE = /^[1-9]\d{0,14}$/;
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

/** Words that some YAML reader takes for a boolean, nothing, or a number (`e0` is one to YAML 1.1's own pattern). */
const RESERVED = /^(?:y|n|yes|no|on|off|true|false|null|nan|inf|infinity|[e_][\d._:+-]*)$/i;
const SPECIAL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]|\p{Cs}/u;

/** Text after `key: ` for one scalar. */
export function printScalar(key: string, value: string | number | boolean): string {
  if (typeof value !== 'string') return String(value);
  if (ID_KEYS.has(key) && WHOLE.test(value)) return value;
  if (TIME_KEYS.has(key) && TIMESTAMP.test(value)) return value;
  return isPlain(value) ? value : quote(value);
}

export function printFlow(key: string, items: readonly string[]): string {
  return `[${items.map((item) => flowItem(printScalar(key, item), item)).join(', ')}]`;
}

function flowItem(printed: string, item: string): string {
  return /^["']/.test(printed) || /^[A-Za-z0-9_/][A-Za-z0-9_./*-]*$/.test(printed) ? printed : quote(item);
}

/** A block list, one line an item, each with its line end. */
export function printBlock(key: string, items: readonly string[], indent: string, eol: string): string {
  return items.map((item) => `${indent}- ${printScalar(key, item)}${eol}`).join('');
}

/** True when every YAML reader reads the bare text as this very string; false when in doubt. */
function isPlain(text: string): boolean {
  if (!/^[\p{L}\p{Nd}_(/]/u.test(text) || RESERVED.test(text) || SPECIAL.test(text)) return false;
  if (/^\p{Nd}/u.test(text) && (/^\d{4}-\d/.test(text) || !/\s\p{L}/u.test(text))) return false;
  return !text.includes(': ') && !text.includes(' #') && !/[\s:]$/.test(text) && !/\s{2}/.test(text);
}

/** In the quotes that need fewer escapes, as prettier has it. */
function quote(text: string): string {
  const [double, single] = ['"', "'"].map((mark) => text.split(mark).length - 1) as [number, number];
  if (double > single && !SPECIAL.test(text) && !text.includes('\\')) return `'${text.replaceAll("'", "''")}'`;
  return JSON.stringify(text).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** A shorter value is not hidden: hiding each `1` or `test` would hide the whole log. */
export const SHORTEST = 8;
/** In a secret of several lines, each line of at least this length is hidden by itself. */
const SHORTEST_LINE = 16;

const json = (text: string) => JSON.stringify(text).slice(1, -1);
const ascii = (text: string) => json(text).replace(/[\u0080-\uffff]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
const percent = (text: string) => encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
const lower = (text: string) => text.replace(/%[0-9A-F]{2}/g, (one) => one.toLowerCase());
const xml = (text: string, quote: string) =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;').replace(/'/g, quote);

/** The base64 of a text at any place in a longer encoded text: three alignments, without the letters shared with its neighbours. */
function base64(bytes: Buffer): string[] {
  return [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    const whole = Math.floor(((before + bytes.length) * 8) / 6);
    return text.slice(Math.ceil((before * 8) / 6), whole);
  });
}

/** Only the base64 forms: these are also searched with line ends in them. */
export function base64Forms(value: string): string[] {
  return longEnough(partsOf(value).flatMap((part) => base64(Buffer.from(part)))).sort((a, b) => b.length - a.length);
}

const url64 = (text: string) => text.replaceAll('+', '-').replaceAll('/', '_');

/** All usual encodings of a secret: as it is, line by line, quoted for JSON, shells, XML and addresses, and as base64 and hex. */
export function encodingsOf(value: string): string[] {
  return longEnough(partsOf(value).flatMap(written)).sort((a, b) => b.length - a.length);
}

/** All of it, and each of its lines if it has several. */
function partsOf(value: string): string[] {
  const lines = value.split(/\r?\n/).map((line) => line.trim());
  return lines.length === 1 ? [value] : [value, ...lines.filter((line) => line.length >= SHORTEST_LINE && !line.startsWith('-----'))];
}

function written(value: string): string[] {
  const bytes = Buffer.from(value);
  const [hex, straight] = [bytes.toString('hex'), percent(value)];
  const every = [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0').toUpperCase()}`).join('');
  return [
    value,
    value.replaceAll('\n', '\r\n'),
    json(value),
    json(json(value)),
    ascii(value),
    ...base64(bytes).flatMap((text) => [text, url64(text)]),
    ...[straight, encodeURIComponent(value), straight.replaceAll('%20', '+'), every].flatMap((text) => [text, lower(text)]),
    hex,
    hex.toUpperCase(),
    xml(value, '&#39;'),
    xml(value, '&apos;'),
    value.replaceAll("'", `'\\''`),
  ];
}

const longEnough = (texts: readonly string[]) => [...new Set(texts)].filter((text) => text.length >= SHORTEST);

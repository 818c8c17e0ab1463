import { isUtf8 } from 'node:buffer';

/** One setting of a configuration file of git's: section and name in lower case. Without a value it is a mere switch. */
interface ConfigSetting {
  readonly key: string;
  readonly value: string | undefined;
}

const SPACE = /[ \t\n\r]/;
const KEY = /[A-Za-z0-9-]/;
const ESCAPES: Readonly<Record<string, string>> = { t: '\t', b: '\b', n: '\n', '\\': '\\', '"': '"' };

/**
 * Parses a configuration file of git's as git does, but without git, which would obey what the file says. The text is latin1, one letter a
 * byte. Undefined: git would not understand it either, or it has a zero byte, which programs read differently.
 */
export function parseConfig(text: string): ConfigSetting[] | undefined {
  if (text.includes('\0')) return undefined;
  const read = new Letters(text.startsWith('\xef\xbb\xbf') ? text.slice(3) : text);
  const found: ConfigSetting[] = [];
  let section = '';
  for (;;) {
    const letter = read.next();
    if (letter === '\n' && read.ended) return found;
    if (SPACE.test(letter)) continue;
    if (letter === '#' || letter === ';') {
      read.skipLine();
    } else if (letter === '[') {
      const name = sectionOf(read);
      if (name === undefined) return undefined;
      section = `${name}.`;
    } else {
      const one = /[A-Za-z]/.test(letter) ? settingOf(read, section + letter.toLowerCase()) : undefined;
      if (!one) return undefined;
      found.push(one);
    }
  }
}

/** Letters one by one, as git sees them: `\r\n` is one end of a line, and so is the end of the text. */
class Letters {
  readonly #text: string;
  #at = 0;
  ended = false;

  constructor(text: string) {
    this.#text = text;
  }

  next(): string {
    if (this.#text.startsWith('\r\n', this.#at)) this.#at++;
    if (this.#at < this.#text.length) return this.#text[this.#at++]!;
    this.ended = true;
    return '\n';
  }

  /** Up to the end of the line, which is left. */
  skipLine(): void {
    const end = this.#text.indexOf('\n', this.#at);
    this.#at = end < 0 ? this.#text.length : end;
  }
}

/** `[core]`, `[old.style]` or `[remote "Origin"]`, after the bracket. */
function sectionOf(read: Letters): string | undefined {
  let name = '';
  for (let letter = read.next(); ; letter = read.next()) {
    if (read.ended) return undefined;
    if (letter === ']') return name;
    if (SPACE.test(letter)) return subsectionOf(read, letter, name);
    if (!KEY.test(letter) && letter !== '.') return undefined;
    name += letter.toLowerCase();
  }
}

function subsectionOf(read: Letters, first: string, section: string): string | undefined {
  let letter = first;
  while (SPACE.test(letter)) {
    if (letter === '\n') return undefined;
    letter = read.next();
  }
  if (letter !== '"') return undefined;
  let name = '';
  for (letter = read.next(); letter !== '"'; letter = read.next()) {
    if (letter === '\\') letter = read.next();
    if (letter === '\n') return undefined;
    name += letter;
  }
  return read.next() === ']' ? `${section}.${decoded(name)}` : undefined;
}

function settingOf(read: Letters, start: string): ConfigSetting | undefined {
  let key = start;
  let letter = read.next();
  for (; KEY.test(letter); letter = read.next()) key += letter.toLowerCase();
  while (letter === ' ' || letter === '\t') letter = read.next();
  if (letter === '\n') return { key, value: undefined };
  const value = letter === '=' ? valueText(read) : undefined;
  return value === undefined ? undefined : { key, value: decoded(value) };
}

function valueText(read: Letters): string | undefined {
  let [value, spaces, quoted] = ['', '', false];
  for (;;) {
    let letter = read.next();
    if (letter === '\n') return quoted ? undefined : value;
    if (!quoted && SPACE.test(letter)) {
      if (value !== '') spaces += ' ';
      continue;
    }
    if (!quoted && (letter === '#' || letter === ';')) {
      read.skipLine();
      continue;
    }
    value += spaces;
    spaces = '';
    if (letter === '"') {
      quoted = !quoted;
      continue;
    }
    if (letter === '\\') {
      letter = read.next();
      if (letter === '\n') continue;
      const meant = ESCAPES[letter];
      if (meant === undefined) return undefined;
      letter = meant;
    }
    value += letter;
  }
}

/** Bytes that are no UTF-8 stay letters, so that two different values stay different. */
function decoded(bytes: string): string {
  if (/^[\x00-\x7f]*$/.test(bytes)) return bytes;
  const buffer = Buffer.from(bytes, 'latin1');
  return isUtf8(buffer) ? buffer.toString('utf8') : bytes;
}

/**
 * Text from agents may carry terminal commands: titles, clipboard writes, links, cursor moves, text that reads
 * backwards. Everything that shows it outside its own pane shows it through `clean`.
 */

// A string sequence (OSC, DCS, APC, PM, SOS) ends at BEL or ST; one that never ends takes the rest of its line only,
// so that a lone opener cannot hide what follows.
const STRINGS = /(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?/g;
const CSI = /(?:\x1b\[|\x9b)[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]?/g;
const ESCAPES = /\x1b[\x20-\x2f]*[\x30-\x7e]?/g;
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;
// Bidi marks, embeddings, overrides and isolates; zero-width characters; the byte order mark; tag characters; line separators.
const UNSEEN = /[\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\u{e0001}|[\u{e0020}-\u{e007f}]/gu;

const MAX_LINE = 4096;

/** Plain text: no escape sequences, no invisible characters, no controls but newline and tab, no line longer than 4 KiB. */
export function clean(text: string): string {
  const plain = text
    .replace(/\r\n/g, '\n')
    .replace(STRINGS, '')
    .replace(CSI, '')
    .replace(ESCAPES, '')
    .replace(CONTROLS, '')
    .replace(UNSEEN, '')
    .toWellFormed();
  return plain.split('\n').map(capped).join('\n');
}

/** A line cut to 4 KiB of UTF-8, never inside a character. */
function capped(line: string): string {
  if (line.length * 3 <= MAX_LINE) return line;
  const bytes = Buffer.from(line);
  if (bytes.length <= MAX_LINE) return line;
  let end = MAX_LINE;
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}

/** Removes control characters except newline and tab, so that the text can be typed or pasted into a program. */
export function stripControls(text: string): string {
  return text.replace(CONTROLS, '').toWellFormed();
}

import { markTwins } from './look-alike.ts';

/**
 * Text that a person judges is shown as it is: nothing in it is taken away, moves the cursor or makes a row of its own. What has no
 * picture gets one: `␛` for an escape, `⏎` for the end of a line, `\u202e` for a mark that turns the text around. Letters that are taken
 * for others have their number: `m\u0430ke`.
 */

/** Controls, marks without width or direction, blanks other than a space, halves of pairs, and letters that look like nothing. */
const UNSEEN =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u00a0\u115f\u1160\u1680\u2000-\u200a\u202f\u205f\u2800\u3000\u3164\uffa0]|\p{Variation_Selector}|\u034f|\u17b4|\u17b5/gu;
/** So many spaces push what follows out of sight. */
const BLANKS = / {16,}/g;

const PICTURES: Readonly<Record<string, string>> = { '\n': '⏎', '\t': '⇥', '\x7f': '␡' };

/** The same text on one line, with a picture or the number of every character that a terminal would not show, or show as another. Safe to repeat. */
export function visible(text: string): string {
  return markTwins(text.replace(UNSEEN, pictured), pictured).replace(BLANKS, (blanks) => ` ␠×${blanks.length} `);
}

function pictured(char: string): string {
  const code = char.codePointAt(0)!;
  const control = code < 0x20 ? String.fromCodePoint(0x2400 + code) : undefined;
  const number = code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
  return PICTURES[char] ?? control ?? number;
}

/** The beginning of a text that is too long to be shown whole, with the size of the rest and the command that prints it. */
export function beginning(text: string, most: number, command: string): string {
  if (text.length <= most) return text;
  // Not between the two halves of a character.
  const end = /[\ud800-\udbff]/.test(text[most - 1]!) ? most - 1 : most;
  return `${text.slice(0, end)}… ${(text.length - end).toLocaleString('en-US')} more characters: ${command}`;
}

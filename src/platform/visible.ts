import { markTwins } from './look-alike.ts';

/**
 * Shows a text that a person judges exactly as it is: nothing is removed, and nothing moves the cursor or adds a row. An invisible
 * character gets a picture: `␛` for an escape, `⏎` for a line end, `\u202e` for a mark that reverses the text. Look-alike letters are shown
 * by number: `m\u0430ke`.
 */

/** Controls, marks without width or with a direction, blanks other than a space, half pairs, and letters that look like nothing. */
const UNSEEN =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u00a0\u115f\u1160\u1680\u2000-\u200a\u202f\u205f\u2800\u3000\u3164\uffa0]|\p{Variation_Selector}|\u034f|\u17b4|\u17b5/gu;
/** This many spaces can push the rest of a line out of sight. */
const BLANKS = / {16,}/g;

const PICTURES: Readonly<Record<string, string>> = { '\n': '⏎', '\t': '⇥', '\x7f': '␡' };

/** The text on one line, with a picture or a number for every character that a terminal would hide or show as another. Safe to repeat. */
export function visible(text: string): string {
  return markTwins(text.replace(UNSEEN, pictured), pictured).replace(BLANKS, (blanks) => ` ␠×${blanks.length} `);
}

function pictured(char: string): string {
  const code = char.codePointAt(0)!;
  const control = code < 0x20 ? String.fromCodePoint(0x2400 + code) : undefined;
  const number = code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
  return PICTURES[char] ?? control ?? number;
}

/** The beginning of a text that is too long to show, with the size of the rest and the command that prints it. */
export function beginning(text: string, most: number, command: string): string {
  if (text.length <= most) return text;
  // Not between the two halves of a character.
  const end = /[\ud800-\udbff]/.test(text[most - 1]!) ? most - 1 : most;
  return `${text.slice(0, end)}… ${(text.length - end).toLocaleString('en-US')} more characters: ${command}`;
}

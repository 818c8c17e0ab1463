const ESCAPE = /\x1b\[[0-9;]*m/g;
const WIDE =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const NONE = /\p{Mn}|\p{Me}|\u200d/u;

/** Nearly all text is ASCII: as many columns as letters. */
export const isPlain = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);

/** The number of terminal columns that the text takes. Colours do not count, and a wide letter counts twice. */
export function width(text: string): number {
  const plain = isPlain(text) ? text : text.replace(ESCAPE, '');
  if (isPlain(plain)) return plain.length;
  let sum = 0;
  for (const letter of plain) sum += NONE.test(letter) ? 0 : WIDE.test(letter) ? 2 : 1;
  return sum;
}

/** At most `to` columns, with an ellipsis where something was cut. Not for text with colours in it. */
export function cut(text: string, to: number): string {
  if (width(text) <= to) return text;
  if (isPlain(text)) return `${text.slice(0, Math.max(0, to - 1))}…`;
  let kept = '';
  for (const letter of text) {
    if (width(kept + letter) > to - 1) break;
    kept += letter;
  }
  return `${kept}…`;
}

export function pad(text: string, to: number): string {
  return text + ' '.repeat(Math.max(0, to - width(text)));
}

/** PostgreSQL has no U+0000 in texts, and what a program prints may have one. A letter for private use stands for it, and for itself. */
const SIGN = '\u{f5ee}';

/** A text as it is stored. */
export const encoded = (text: string): string =>
  text.includes('\0') || text.includes(SIGN) ? text.replaceAll(SIGN, `${SIGN}1`).replaceAll('\0', `${SIGN}0`) : text;

/** The text that was stored so. */
export const decoded = (text: string): string =>
  text.includes(SIGN) ? text.replaceAll(`${SIGN}0`, '\0').replaceAll(`${SIGN}1`, SIGN) : text;

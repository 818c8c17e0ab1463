/** One word for `sh`, whatever is in it. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The same, and a plain word as it is: for commands that a person reads and copies. */
export const quotedIfNeeded = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : shellQuote(text));

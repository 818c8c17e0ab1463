/** The lines of one table of a TOML or INI text. Enough for names and lists: nothing here depends on values. */
export function section(text: string, name: string): string {
  const lines = text.split(/\r?\n/);
  const start = lines.findIndex((line) => line.trim() === `[${name}]`);
  if (start < 0) return '';
  const length = lines.slice(start + 1).findIndex((line) => /^\[[^\]]+\]/.test(line));
  return lines.slice(start + 1, length < 0 ? undefined : start + 1 + length).join('\n') || '\n';
}

/** The keys that begin a line. */
export const keysOf = (text: string): string[] => [...text.matchAll(/^["']?([\w.-]+)["']?\s*=/gm)].map((match) => match[1]!);

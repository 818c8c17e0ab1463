import type { Paint } from '../out.ts';

const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;

/** A patch in git's colours. Lines of a hunk are counted: a removed line that begins with two dashes is no header. */
export function colouredDiff(text: string, paint: Paint): string {
  let [old, fresh] = [0, 0];
  const line = (one: string): string => {
    if (old > 0 || fresh > 0) {
      if (one.startsWith('\\')) return one;
      if (!one.startsWith('+')) old--;
      if (!one.startsWith('-')) fresh--;
      return one.startsWith('+') ? paint.green(one) : one.startsWith('-') ? paint.red(one) : one;
    }
    const hunk = HUNK.exec(one);
    if (!hunk) return one.startsWith('\\') ? one : paint.bold(one);
    [old, fresh] = [Number(hunk[1] ?? 1), Number(hunk[2] ?? 1)];
    return paint.cyan(hunk[0]) + one.slice(hunk[0].length);
  };
  return text.split('\n').map(line).join('\n');
}

/** The bars of `--stat` in green and red. */
export function colouredStat(text: string, paint: Paint): string {
  return text.replace(
    /^( .+\|\s+\d+ )(\+*)(-*)$/gm,
    (_all, start: string, plus: string, minus: string) => start + paint.green(plus) + paint.red(minus),
  );
}

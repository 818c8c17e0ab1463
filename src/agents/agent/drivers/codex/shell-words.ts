/** The words of a command line as `sh` would read them, without expansions; undefined when it does not end properly. */
export function splitWords(line: string): string[] | undefined {
  const found: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let at = 0; at < line.length; at++) {
    const char = line[at]!;
    if (quote === "'") {
      if (char === "'") quote = '';
      else word += char;
    } else if (char === '\\') {
      const next = line[++at];
      if (next === undefined) return undefined;
      word = (word ?? '') + (quote && !'"\\$`\n'.includes(next) ? char + next : next);
    } else if (quote) {
      if (char === quote) quote = '';
      else word += char;
    } else if (char === "'" || char === '"') {
      quote = char;
      word ??= '';
    } else if (char === ' ' || char === '\t' || char === '\n') {
      if (word !== undefined) found.push(word);
      word = undefined;
    } else word = (word ?? '') + char;
  }
  if (quote) return undefined;
  return word === undefined ? found : [...found, word];
}

/** `/bin/bash -lc 'git status'` is `git status`: what the agent wrote, which is what rules are about. */
export function innerCommand(line: string): string {
  const [shell, flag, script, ...more] = splitWords(line) ?? [];
  const wrapped = shell !== undefined && /(^|\/)(ba|z|da|k)?sh$/.test(shell) && (flag === '-lc' || flag === '-c');
  return wrapped && script !== undefined && more.length === 0 ? script : line;
}

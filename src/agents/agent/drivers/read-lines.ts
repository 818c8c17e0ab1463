import { existsSync, readFileSync } from 'node:fs';

/** The lines of JSON of a file that are whole; undefined when it is not there. */
export function readJsonLines<Line>(file: string): Line[] | undefined {
  if (!existsSync(file)) return undefined;
  const text = readFileSync(file, 'utf8');
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);
}

import { clean } from './strip-controls.ts';

/** Text in a code block whose fence is longer than any in the text, so that nothing in it can end the block. */
export function fenced(given: string, label = 'text'): string {
  const text = clean(given).trim();
  if (text === '') return '';
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map((ticks) => ticks[0].length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${label}\n${text}\n${fence}`;
}

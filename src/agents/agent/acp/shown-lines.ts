import { clean } from '../../../platform/strip-controls.ts';
import { cut } from '../../../platform/text-width.ts';
import { type Fields, fields, list, text } from '../drivers/json.ts';
import { type Call, type Diff, toolOf } from './tool.ts';

const WIDTH = 160;
/** Of a result: enough to see what it is about. */
const OUTPUT_LINES = 8;
const DIFF_LINES = 40;

const colour = (code: number) => (line: string) => `\x1b[${code}m${line}\x1b[0m`;
export const dim = colour(2);
export const red = colour(31);
export const green = colour(32);
const bold = colour(1);

export const plain = (line: string): string => line;

export const saidBy = (who: string, words: string): string[] => ['', bold(`❯ ${who}`), ...linesIn(words).map((line) => `  ${line}`), ''];

/** One line for a use of a tool, and the change it would make or has made. */
export function useLines(call: Call): string[] {
  const tool = toolOf(call);
  // Not cut: a person may be about to judge it.
  const [first = '', ...more] = clean(tool.command ?? (call.title || tool.paths.join(', '))).split('\n');
  return [
    bold(`● ${tool.action === 'other' ? tool.name : tool.action}  `) + first,
    ...more.map((line) => `  ${line}`),
    ...call.diffs.flatMap(diffLines),
  ];
}

/** The result: its first lines, and how it ended when that was badly. */
export function endLines(call: Call): string[] {
  const shown = cutOff(linesIn(call.output.trimEnd()), OUTPUT_LINES).map((line) => dim(`  ${line}`));
  return [...(call.diffs.length > 0 ? [] : shown), ...(call.status === 'failed' ? [red('  failed')] : [])];
}

/** The lines that differ, with one before and one after them. */
export function diffLines({ path, before, after }: Diff): string[] {
  const [old, now] = [linesIn(before), linesIn(after)];
  let start = 0;
  while (start < Math.min(old.length, now.length) && old[start] === now[start]) start++;
  let end = 0;
  while (end < Math.min(old.length, now.length) - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const removed = old.slice(start, old.length - end).map((line) => red(`  - ${line}`));
  const added = now.slice(start, now.length - end).map((line) => green(`  + ${line}`));
  const around = (line: string | undefined) => (line === undefined ? [] : [dim(`    ${line}`)]);
  const changed = [
    ...around(old[start - 1]),
    ...cutOff([...removed, ...added], DIFF_LINES),
    ...around(end > 0 ? old[old.length - end] : undefined),
  ];
  return [`  ${clean(path)}  line ${start + 1}`, ...changed];
}

const MARKS: Readonly<Record<string, string>> = { completed: '✔', in_progress: '▸' };

export const planLines = (update: Fields): string[] => [
  bold('● plan'),
  ...list(update['entries'])
    .map(fields)
    .map((entry) => `  ${MARKS[text(entry['status'])] ?? '·'} ${linesIn(text(entry['content'])).join(' ')}`),
];

/** Clean lines that fit into a window: what comes from an agent or a file may hold anything. */
const linesIn = (words: string): string[] =>
  words === ''
    ? []
    : clean(words.replace(/\n$/, ''))
        .split('\n')
        .map((line) => cut(line, WIDTH));

function cutOff(lines: readonly string[], most: number): string[] {
  return lines.length <= most ? [...lines] : [...lines.slice(0, most), dim(`  … ${lines.length - most} more lines`)];
}

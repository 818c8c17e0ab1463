/** One line of a script, read. Every step but `random` is one effect; `random` stands for a few others. */
export type Step =
  | { do: 'write' | 'append' | 'dirty'; path: string; text: string }
  | { do: 'line'; path: string; n: number; text: string }
  /** `wait` writes `PATH.seen` when it begins to wait, and goes on when `PATH` exists. */
  | { do: 'delete' | 'wait'; path: string }
  | { do: 'commit' | 'say' | 'progress' | 'done' | 'blocked' | 'merge'; text: string }
  | { do: 'work' | 'fail' | 'flood' | 'fork'; n: number }
  | { do: 'random'; seed: string }
  | { do: 'hang' | 'crash' | 'lie' | 'ignore-signals' | 'detach' }
  /** `furrow` and what follows, as in a shell. */
  | { do: 'ask' | 'furrow'; text: string }
  | WindowStep;

/** Steps of an agent in a window only: somebody has to listen or to answer. */
type WindowStep =
  | { do: 'permission'; text: string }
  | { do: 'question'; text: string; options: string[] }
  /** The provider's limit, for so many seconds. */
  | { do: 'limit'; n: number }
  /** The provider is overloaded, and it tries again by itself, so many times. */
  | { do: 'retry'; n: number }
  | { do: 'auth' | 'context' | 'turn' }
  | { do: 'usage'; input: number; output: number; usd?: number };

interface Line {
  readonly at: number;
  readonly text: string;
}

/** The lines between the first ```` ```script ```` fence and its end, or `undefined` when the task carries no script. */
export function findScript(prompt: string): Line[] | undefined {
  const lines = prompt.split(/\r?\n/);
  const open = lines.findIndex((line) => /^\s*```script\s*$/.test(line));
  if (open < 0) return undefined;
  const length = lines.slice(open + 1).findIndex((line) => /^\s*```\s*$/.test(line));
  const body = lines.slice(open + 1, length < 0 ? undefined : open + 1 + length);
  return body.map((text, i) => ({ at: open + 2 + i, text: text.trim() })).filter(({ text }) => text !== '' && !text.startsWith('#'));
}

/**
 * The steps of one attempt: those under its own `attempt N:` heading; else those above all headings; else the last
 * section, so that a script may say only what goes wrong first and how it ends.
 */
export function stepsOf(lines: readonly Line[], attempt: number): Step[] {
  const sections = new Map<number, Line[]>([[0, []]]);
  let current = 0;
  for (const line of lines) {
    const heading = /^attempt\s+(\d+)\s*:$/.exec(line.text);
    if (!heading) sections.get(current)!.push(line);
    else {
      current = Number(heading[1]);
      sections.set(current, sections.get(current) ?? []);
    }
  }
  const common = sections.get(0)!;
  const chosen = sections.get(attempt) ?? (common.length > 0 ? common : [...sections.values()].at(-1)!);
  return chosen.map(parse);
}

const BARE = new Set(['hang', 'crash', 'lie', 'ignore-signals', 'detach', 'auth', 'context', 'turn']);
const NUMBER = new Set(['work', 'fail', 'flood', 'fork', 'limit', 'retry']);
const TEXT = new Set(['commit', 'say', 'progress', 'done', 'blocked', 'merge', 'ask', 'furrow', 'permission']);
const FILE = new Set(['write', 'append', 'dirty']);

function parse({ at, text: line }: Line): Step {
  const [word, rest] = cut(line);
  const [path, text] = cut(rest);
  if (BARE.has(word) && rest === '') return { do: word } as Step;
  if (NUMBER.has(word) && /^\d+(\.\d+)?$/.test(rest)) return { do: word, n: Number(rest) } as Step;
  if (TEXT.has(word) && rest !== '') return { do: word, text: unescaped(rest) } as Step;
  if (FILE.has(word) && path !== '') return { do: word, path, text: unescaped(text) } as Step;
  if ((word === 'delete' || word === 'wait') && path !== '') return { do: word, path };
  if (word === 'usage' && /^\d+ \d+( \d+(\.\d+)?)?$/.test(rest)) return usage(rest);
  if (word === 'question' && rest !== '') return question(rest);
  if (word === 'random' && rest !== '') return { do: 'random', seed: rest };
  const [n, content] = cut(text);
  if (word === 'line' && /^[1-9]\d*$/.test(n)) return { do: 'line', path, n: Number(n), text: unescaped(content) };
  throw new Error(`line ${at} of the task is not a step: ${line}`);
}

function usage(text: string): Step {
  const [input = 0, output = 0, usd] = text.split(' ').map(Number);
  return { do: 'usage', input, output, ...(usd !== undefined && { usd }) };
}

/** `question Which one? | this | that` */
function question(text: string): Step {
  const [asked = '', ...options] = text.split('|').map((part) => part.trim());
  return { do: 'question', text: asked, options };
}

function cut(text: string): [string, string] {
  const space = text.search(/\s/);
  return space < 0 ? [text, ''] : [text.slice(0, space), text.slice(space).trim()];
}

/** `\n` in a text is a new line; `\\` is a backslash. */
function unescaped(text: string): string {
  return text.replace(/\\([n\\])/g, (_, c: string) => (c === 'n' ? '\n' : '\\'));
}

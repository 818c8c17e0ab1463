import type { ScreenReading } from '../../driver.ts';

type Seen = Pick<ScreenReading, 'state' | 'detail'>;

const TITLES: readonly [RegExp, Seen][] = [
  [/^◇ +Ready\b/, { state: 'idle' }],
  [/^[✦⏲] +\S/, { state: 'working' }],
  [/^✋ +Action Required\b/, { state: 'waiting' }],
];

export function title(shown: string): Seen | undefined {
  return TITLES.find(([pattern]) => pattern.test(shown.trim()))?.[1];
}

/** Trust first: it may be drawn together with a request for leave. */
const DIALOGS: readonly [RegExp, Seen][] = [
  [/Do you trust the files in this folder\?/, { state: 'waiting', detail: 'trust' }],
  [/How would you like to authenticate/, { state: 'waiting', detail: 'login' }],
  [/│ Answer Questions/, { state: 'waiting', detail: 'question' }],
  [/│ (Allow execution of|Apply this change|Do you want to proceed)\b/, { state: 'waiting', detail: 'permission' }],
];

/** Of a turn that is over; older ones stay on the screen. */
const ENDED: readonly [RegExp, Seen][] = [
  [/^✕ \[API Error:.*(40[13]|UNAUTHENTICATED|API key)/m, { state: 'idle', detail: 'auth' }],
  [/^✕ \[API Error:.*(429|RESOURCE_EXHAUSTED|quota)/im, { state: 'limited', detail: 'limit' }],
  [/^✕ \[API Error:/m, { state: 'idle', detail: 'error' }],
  [/^ℹ Request cancelled\./m, { state: 'idle', detail: 'interrupted' }],
];

/** `>` in most modes, `*` in the one in which it asks for nothing, `!` for a shell line; drawn between two edges. */
const INPUT = /^ [>*!] /;
const TOP = /^▄{20,}/;
const BOTTOM = /^▀{20,}/;
const HINT = 'Type your message or @path/to/file';

export function screen(capture: string): ScreenReading {
  const lines = capture.trimEnd().split('\n');
  const bottom = lines.findLastIndex((line) => BOTTOM.test(line));
  const box = lines.slice(bottom + 1).some((line) => /^ workspace \(\/directory\)|^ \S*\/.* sandbox/.test(line));
  const input = box ? lines.findLastIndex((line, i) => i < bottom && INPUT.test(line) && TOP.test(lines[i - 1] ?? '')) : -1;
  const find = (table: readonly [RegExp, Seen][], within: string) => table.find(([pattern]) => pattern.test(within))?.[1];
  if (input < 0) return { ...(find(DIALOGS, lines.slice(-30).join('\n')) ?? { state: 'unknown' }), draft: undefined };
  const draft = draftIn(lines.slice(input, bottom));
  const sent = lines.findLastIndex((line, i) => i < input && INPUT.test(line) && TOP.test(lines[i - 1] ?? ''));
  const turn = lines.slice(sent + 1, input).join('\n');
  if (/\(esc to cancel, /.test(turn)) return { state: 'working', draft };
  return { ...(find(ENDED, turn) ?? { state: 'idle' }), draft };
}

function draftIn(lines: readonly string[]): string {
  const typed = lines.map((line) => line.slice(3).trim()).join('\n');
  return typed === HINT ? '' : typed;
}

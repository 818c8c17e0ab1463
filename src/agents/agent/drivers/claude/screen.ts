import type { ScreenReading } from '../../driver.ts';

type Seen = Pick<ScreenReading, 'state' | 'detail'>;

/** Dialogs first: they cover everything else. A page that scrolled by may quote them, so only its end is looked at. */
const DIALOGS: readonly [RegExp, Seen][] = [
  [/Yes, I trust this folder/, { state: 'waiting', detail: 'trust' }],
  [/Detected a custom API key|Select login method/, { state: 'waiting', detail: 'login' }],
  [/Bypass Permissions mode[\s\S]*Yes, I accept/, { state: 'waiting', detail: 'trust' }],
  [/Enter to select · ↑\/↓ to navigate/, { state: 'waiting', detail: 'question' }],
  [/Esc to cancel · Tab to amend/, { state: 'waiting', detail: 'permission' }],
];

/** Of the turn that runs. */
const TURN: readonly [RegExp, Seen][] = [
  [/^[·✢✳✶✻✽] .*Retrying in .* · attempt \d+/mu, { state: 'limited', detail: 'retrying' }],
  [/^[·✢✳✶✻✽] \p{L}+…/mu, { state: 'working' }],
];

/** Of the turn that is over: old ones stay on the screen, so only what stands below the last prompt counts. */
const ENDED: readonly [RegExp, Seen][] = [
  [/Not logged in · Please run \/login/, { state: 'idle', detail: 'login' }],
  [/Invalid API key|API Error: 401|OAuth token/, { state: 'idle', detail: 'auth' }],
  [/Request rejected \(429\)|You've hit your .*limit|usage limit reached/i, { state: 'limited', detail: 'limit' }],
  [/^● API Error: .*(529|Overloaded)/m, { state: 'idle', detail: 'overloaded' }],
  [/Prompt is too long/, { state: 'idle', detail: 'context' }],
  [/^● API Error: /m, { state: 'idle', detail: 'error' }],
  [/Interrupted · What should Claude do instead\?/, { state: 'idle', detail: 'interrupted' }],
];

/** The lines of a dialog: the longest recorded one has 18. */
const DIALOG_LINES = 25;

/** The hint that claude itself writes into an empty input line. */
const HINT = 'Press up to edit queued messages';
const RULE = /^─{20,}/;

/** A no-break space follows the sign of the input line, a plain one that of a prompt that was sent. */
const INPUT = /^❯(\u00a0|$)/;

/**
 * Reads a plain capture of the pane. A suggestion drawn dim in the input line would look like something typed there; the
 * settings at the start turn them off.
 */
export function screen(capture: string): ScreenReading {
  const lines = capture.trimEnd().split('\n');
  const input = lines.findLastIndex((line, i) => INPUT.test(line) && RULE.test(lines[i - 1] ?? ''));
  const draft = input < 0 ? undefined : draftAt(lines, input);
  const find = (table: readonly [RegExp, Seen][], within: string) => table.find(([pattern]) => pattern.test(within))?.[1];
  const dialog = input < 0 ? find(DIALOGS, lines.slice(-DIALOG_LINES).join('\n')) : undefined;
  if (dialog) return { ...dialog, draft: undefined };
  if (input < 0) return { state: 'unknown', draft: undefined };
  const prompt = lines.findLastIndex((line, i) => i < input && /^❯ \S/.test(line));
  const turn = lines.slice(prompt + 1, input).join('\n');
  return { ...(find(TURN, turn) ?? find(ENDED, turn) ?? { state: 'idle' }), draft };
}

/** All between the two rules; lines after the first are set in by two. */
function draftAt(lines: readonly string[], from: number): string {
  const end = lines.findIndex((line, i) => i > from && RULE.test(line));
  const typed = lines
    .slice(from, end < 0 ? from + 1 : end)
    .map((line, i) => (i === 0 ? line.replace(INPUT, '') : line.replace(/^ {2}/, '')));
  const draft = typed.join('\n').trimEnd();
  return draft === HINT ? '' : draft;
}

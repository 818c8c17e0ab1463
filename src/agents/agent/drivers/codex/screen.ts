import type { ScreenReading } from '../../driver.ts';

type Reading = Pick<ScreenReading, 'state' | 'detail'>;

/** Dialogs first: they are drawn over everything else. */
const DIALOGS: readonly (readonly [RegExp, string])[] = [
  [/Trust this folder\?/, 'trust'],
  [/Sign in with ChatGPT/, 'login'],
  [/Would you like to (run the following command|make the following edits)\?/, 'permission'],
  [/Hooks need review/, 'hooks'],
];

const PLACEHOLDER = 'Ask Codex to do anything';

/** A plain folder name says nothing: a shell's title looks the same. */
export function title(text: string): Reading | undefined {
  if (/^\[ [.!] \] Action Required/.test(text.trim())) return { state: 'waiting' };
  if (/^[\u2801-\u28ff] /u.test(text.trim())) return { state: 'working' };
  return undefined;
}

export function screen(text: string): ScreenReading {
  const dialog = DIALOGS.find(([pattern]) => pattern.test(text));
  if (dialog) return { state: 'waiting', detail: dialog[1], draft: undefined };
  return { ...reading(text), draft: draft(text) };
}

function reading(text: string): Reading {
  const now = afterLastUserLine(text);
  if (/Reconnecting to server/.test(now)) return { state: 'unknown' };
  if (/Reconnecting\.\.\. \d+\/\d+/.test(now)) {
    return /429 Too Many Requests|usage limit/i.test(now)
      ? { state: 'limited', detail: 'limit' }
      : { state: 'working', detail: 'retrying' };
  }
  if (/esc to interrupt\)/.test(now)) return { state: 'working' };
  if (/^■ Conversation interrupted/m.test(now)) return { state: 'idle', detail: 'interrupted' };
  if (/^■ .*(401 Unauthorized|403 Forbidden)/m.test(now)) return { state: 'idle', detail: 'auth' };
  if (/^■ .*(429 Too Many Requests|usage limit)/im.test(now)) return { state: 'limited', detail: 'limit' };
  if (/^■ /m.test(now)) return { state: 'idle', detail: 'error' };
  return draft(text) === undefined ? { state: 'unknown' } : { state: 'idle' };
}

/** Old errors stay in sight: only what follows the last message to the agent is about the present. */
function afterLastUserLine(text: string): string {
  const lines = text.split('\n');
  const composer = lines.findLastIndex((line) => line.startsWith('›'));
  const user = lines.slice(0, Math.max(0, composer)).findLastIndex((line) => /^› \S/.test(line));
  return lines.slice(user + 1).join('\n');
}

/** The input line is the last one with the mark, above the line that names the model. */
function draft(text: string): string | undefined {
  const lines = text.split('\n');
  const at = lines.findLastIndex((line) => /^›( |$)/.test(line));
  if (at < 0 || !lines.slice(at + 1).some((line) => / · /.test(line))) return undefined;
  const typed = lines[at]!.slice(1).trim();
  return typed === PLACEHOLDER ? '' : typed;
}

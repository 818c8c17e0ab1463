import type { ScreenReading } from '../../driver.ts';

const BAR = /^\s*┃ ?/;
/** The lower edge of the input box; the footer with the state stands right below it. */
const EDGE = /^\s*╹▀{10,}/;
/** The lines of a dialog: the longest recorded one has 14. */
const DIALOG_LINES = 16;

/** The title only names the conversation: `OC | <title>`. */
export function screen(capture: string): ScreenReading {
  const lines = capture.trimEnd().split('\n');
  const edge = lines.findLastIndex((line) => EDGE.test(line));
  if (edge < 0) return dialog(lines.slice(-DIALOG_LINES).join('\n'));
  const footer = lines.slice(edge + 1).join('\n');
  const draft = draftAbove(lines, edge);
  if (/\[retrying in .* attempt #\d+\]/.test(footer)) return { state: 'limited', detail: 'retrying', draft };
  if (/esc (again to )?interrupt/.test(footer)) return { state: 'working', draft };
  if (footer.trim() === '') return { state: 'unknown', draft };
  const last = lines.findLast((line) => /^\s*▣ /.test(line)) ?? '';
  return { state: 'idle', ...(/ · interrupted\s*$/.test(last) && { detail: 'interrupted' }), draft };
}

function dialog(end: string): ScreenReading {
  if (/△ Permission required/.test(end)) return { state: 'waiting', detail: 'permission', draft: undefined };
  if (/enter (submit|confirm|toggle)\s+esc dismiss/.test(end)) return { state: 'waiting', detail: 'question', draft: undefined };
  return { state: 'unknown', draft: undefined };
}

/** The box has an empty line above what is typed, and below it one and then the name of the model. */
function draftAbove(lines: readonly string[], edge: number): string {
  const box: string[] = [];
  for (let i = edge - 1; i >= 0 && BAR.test(lines[i]!); i -= 1) box.unshift(lines[i]!.replace(BAR, '').trim());
  const typed = box.slice(1, -2).join('\n').trim();
  return /^Ask anything\.\.\./.test(typed) ? '' : typed;
}

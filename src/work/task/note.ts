import { join, splitOrThrow } from './frontmatter.ts';

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** Appends a progress note in kanban-md's form: blank line, stamp in local time, text. */
export function appendNote(text: string, note: string, at: number): string {
  const parts = splitOrThrow(text);
  const { eol } = parts;
  const body = parts.body.replace(/[\r\n]+$/, '');
  const kept = body === '' ? '' : body + eol;
  const lines = ['', stamp(at), ...noteLines(note), ''];
  return join({ ...parts, close: endLine(parts.close, eol), body: kept + lines.join(eol) });
}

/** Replaces the whole body the way kanban-md writes one: a blank line, the text, one line end. */
export function replaceBody(text: string, body: string): string {
  const parts = splitOrThrow(text);
  const lines = bodyLines(body);
  if (lines.length === 0) return join({ ...parts, body: '' });
  return join({ ...parts, close: endLine(parts.close, parts.eol), body: ['', ...lines, ''].join(parts.eol) });
}

export function bodyLines(body: string): string[] {
  const trimmed = body.replace(/^[\r\n]+|[\r\n]+$/g, '');
  return trimmed === '' ? [] : trimmed.split(/\r\n|\r|\n/);
}

function stamp(at: number): string {
  const time = new Date(at);
  const two = (n: number) => String(n).padStart(2, '0');
  const date = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `[[${date}]] ${DAYS[time.getDay()]} ${two(time.getHours())}:${two(time.getMinutes())}`;
}

/** Indents lines that look like a conflict, so that a note about one does not get the task refused. */
function noteLines(note: string): string[] {
  return bodyLines(note).map((line) => (/^[<=>|]{7}/.test(line) ? ` ${line}` : line));
}

function endLine(line: string, eol: string): string {
  return line.endsWith('\n') ? line : line + eol;
}

import { FurrowError } from '../../platform/error.ts';
import type { Refusal } from './field.ts';
import { type Change, patchYaml } from './patch-yaml.ts';

/** A task file cut into pieces; joined again they are the file, byte for byte. */
interface Frontmatter {
  ok: true;
  bom: string;
  /** The opening `---` line with its line end. */
  open: string;
  /** The YAML source; its first line is line 2 of the file. */
  head: string;
  /** The closing `---` line, with its line end unless the file ends there. */
  close: string;
  body: string;
  eol: '\n' | '\r\n';
}

const OPEN = /^---[ \t]*(\r?\n)/;
const CLOSE = /---[ \t]*(?:\r?\n|$)/y;

export function split(text: string): Frontmatter | Refusal {
  const conflict = conflictLine(text);
  if (conflict)
    return { ok: false, line: conflict, reason: 'has merge conflict markers: resolve them (or indent them, if they belong to the text)' };
  const bom = text.startsWith('\ufeff') ? '\ufeff' : '';
  const rest = bom ? text.slice(1) : text;
  const open = OPEN.exec(rest);
  if (!open) return { ok: false, line: 1, reason: rest.trim() === '' ? 'is empty' : 'does not begin with a --- line' };
  const start = open[0].length;
  for (let at = rest.indexOf('\n---', start - 1); at >= 0; at = rest.indexOf('\n---', at + 1)) {
    CLOSE.lastIndex = at + 1;
    const close = CLOSE.exec(rest);
    if (!close) continue;
    const end = at + 1 + close[0].length;
    return {
      ok: true,
      bom,
      open: open[0],
      head: rest.slice(start, at + 1),
      close: close[0],
      body: rest.slice(end),
      eol: open[1] as '\n' | '\r\n',
    };
  }
  return { ok: false, line: 1, reason: 'has no --- line that ends the frontmatter' };
}

export function join(parts: Frontmatter): string {
  return parts.bom + parts.open + parts.head + parts.close + parts.body;
}

/** Sets or removes top-level keys; every other byte of the file stays. */
export function patch(text: string, changes: Record<string, Change>): string {
  const parts = splitOrThrow(text);
  return join({ ...parts, head: patchYaml(parts.head, changes, parts.eol) });
}

export function splitOrThrow(text: string): Frontmatter {
  const parts = split(text);
  if (parts.ok) return parts;
  throw new FurrowError('TASK_UNREADABLE', `the task file ${parts.reason} (line ${parts.line})`, { hint: 'furrow list' });
}

/** Line of the first complete conflict; a lone `=======` is a heading, and a lone `<<<<<<<` is prose. */
function conflictLine(text: string): number | undefined {
  if (!text.includes('<<<<<<<')) return undefined;
  const lines = text.split(/\r?\n/);
  const ours = lines.findIndex((line) => /^\ufeff?<{7}(?: |$)/.test(line));
  const middle = lines.findIndex((line, n) => n > ours && /^={7}$/.test(line));
  const theirs = lines.findIndex((line, n) => n > middle && /^>{7}(?: |$)/.test(line));
  return ours >= 0 && middle >= 0 && theirs >= 0 ? ours + 1 : undefined;
}

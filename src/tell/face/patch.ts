/** One line of a patch. `old` and `new` are its numbers in the two files; null where it is in one of them only. */
export interface PatchLine {
  readonly sign: ' ' | '+' | '-';
  readonly text: string;
  readonly old: number | null;
  readonly new: number | null;
}

export interface Hunk {
  /** The words after the second `@@`: the function that it is in. */
  readonly where: string;
  readonly lines: readonly PatchLine[];
}

export interface PatchFile {
  /** Its name after the change; before it, when it was deleted. */
  readonly path: string;
  /** Its name before the change, when that was another. */
  readonly from: string | null;
  readonly how: 'added' | 'deleted' | 'renamed' | 'changed';
  readonly binary: boolean;
  /** The ids of its two versions, as far as git prints them; all zeros: there is no such version. */
  readonly blobs: { readonly old: string; readonly new: string };
  /** Other words of git about it: modes, similarity. */
  readonly notes: readonly string[];
  readonly hunks: readonly Hunk[];
  readonly added: number;
  readonly removed: number;
}

interface Draft {
  path: string;
  from: string | null;
  how: PatchFile['how'];
  binary: boolean;
  blobs: { old: string; new: string };
  notes: string[];
  hunks: { where: string; lines: PatchLine[] }[];
  added: number;
  removed: number;
}

/** The files of a patch as git prints it. Lines are told by the counts of their hunk, so nothing in a file can pass for a header. */
export function parsePatch(text: string): PatchFile[] {
  const files: Draft[] = [];
  const left = { old: 0, new: 0 };
  const at = { old: 0, new: 0 };
  for (const line of text.split('\n')) {
    const file = files.at(-1);
    const hunk = file?.hunks.at(-1);
    if (file && hunk && (left.old > 0 || left.new > 0) && /^[ +-]/.test(line)) {
      take(file, hunk.lines, line, at, left);
    } else if (line.startsWith('diff --git ')) {
      files.push({
        ...bothNames(line),
        how: 'changed',
        binary: false,
        blobs: { old: '', new: '' },
        notes: [],
        hunks: [],
        added: 0,
        removed: 0,
      });
    } else if (file && line.startsWith('@@ ')) {
      const [, old = '0', oldCount = '1', now = '0', newCount = '1', where = ''] = HUNK.exec(line) ?? [];
      Object.assign(at, { old: Number(old), new: Number(now) });
      Object.assign(left, { old: Number(oldCount), new: Number(newCount) });
      file.hunks.push({ where, lines: [] });
    } else if (file && file.hunks.length === 0) {
      header(file, line);
    }
  }
  return files;
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/;

type Pair = { old: number; new: number };

function take(file: Draft, lines: PatchLine[], line: string, at: Pair, left: Pair): void {
  const sign = line[0] as PatchLine['sign'];
  const [inOld, inNew] = [sign !== '+', sign !== '-'];
  lines.push({ sign, text: line.slice(1), old: inOld ? at.old++ : null, new: inNew ? at.new++ : null });
  if (inOld) left.old--;
  if (inNew) left.new--;
  if (!inOld) file.added++;
  if (!inNew) file.removed++;
}

function header(file: Draft, line: string): void {
  const [, key = '', value = ''] =
    /^(\+\+\+|---|rename from|rename to|copy from|copy to|new file mode|deleted file mode) (.*)$/.exec(line) ?? [];
  if (key === 'new file mode') file.how = 'added';
  else if (key === 'deleted file mode') file.how = 'deleted';
  else if (key === 'rename from' || key === 'copy from') Object.assign(file, { from: plainName(value), how: 'renamed' });
  else if (key === 'rename to' || key === 'copy to') file.path = plainName(value);
  else if (key === '+++' && value !== '/dev/null') file.path = plainName(value).slice(2);
  else if (key === '---' && file.how === 'deleted') file.path = plainName(value).slice(2);
  else if (INDEX.test(line)) file.blobs = blobsOf(line);
  else if (/^Binary files |^GIT binary patch/.test(line)) file.binary = true;
  else if (/^(old mode|new mode|similarity index) /.test(line)) file.notes.push(line);
}

const INDEX = /^index ([0-9a-f]+)\.\.([0-9a-f]+)/;

function blobsOf(line: string): Draft['blobs'] {
  const [, old = '', now = ''] = INDEX.exec(line) ?? [];
  return { old, new: now };
}

/** Only the name of a file without content has to be taken from here; both halves are then the same name. */
function bothNames(line: string): { path: string; from: null } {
  const words = line.slice('diff --git '.length);
  const quoted = /^"(?:[^"\\]|\\.)*" ("(?:[^"\\]|\\.)*")$/.exec(words);
  const half = quoted ? quoted[1]! : words.slice((words.length + 1) / 2);
  return { path: plainName(half).replace(/^b\//, ''), from: null };
}

const ESCAPES: Readonly<Record<string, number>> = { n: 10, t: 9, r: 13, a: 7, b: 8, f: 12, v: 11 };

/** A name without the quotes and escapes that git puts around one with unusual bytes. */
function plainName(name: string): string {
  if (!name.startsWith('"')) return name.replace(/\t$/, '');
  const encoder = new TextEncoder();
  const bytes = [...name.slice(1, -1).matchAll(/\\([0-7]{3})|\\(.)|([^\\]+)/g)].flatMap(([, octal, escaped, plain]) => {
    if (octal !== undefined) return [Number.parseInt(octal, 8)];
    return escaped === undefined ? [...encoder.encode(plain)] : [ESCAPES[escaped] ?? escaped.charCodeAt(0)];
  });
  return new TextDecoder().decode(new Uint8Array(bytes));
}

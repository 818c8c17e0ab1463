/** Why two sides did not merge, file by file: what an agent needs to resolve it without guessing. */
export interface ConflictReport {
  readonly version: 1;
  readonly task: string;
  readonly attempt: number;
  readonly target: string;
  readonly base: string | null;
  readonly ours: string;
  readonly theirs: string;
  /** Holds the merge as git left it, markers included. */
  readonly ref: string;
  readonly files: readonly ConflictFile[];
  /** Conflicting files beyond the first 200, which are only counted. */
  readonly omitted: number;
  readonly suggested: string;
}

export interface ConflictFile {
  readonly path: string;
  /** `content`, `add/add`, `modify/delete`, `rename/rename`, `binary`, … as git names them. */
  readonly kind: string;
  readonly stages: Readonly<Record<'1' | '2' | '3', Stage | null>>;
  readonly hunks: readonly Hunk[];
  /** Landings on the target's side, since the sides parted, that touched the path. */
  readonly oursTasks: readonly { task: string; commit: string; intent: string }[];
  readonly theirsTasks: readonly { task: string; intent: string }[];
}

export interface Stage {
  readonly mode: string;
  readonly oid: string;
}

/** One conflict region; `[first line, lines]` count in the file with the markers, which is what the agent will see. */
export interface Hunk {
  readonly ours: readonly [number, number];
  readonly theirs: readonly [number, number];
  readonly text: string;
}

export interface MergeOutput {
  readonly tree: string;
  readonly files: readonly { path: string; kind: string; stages: ConflictFile['stages'] }[];
}

const HUNK_BYTES = 4 * 1024;

/** Reads `merge-tree --write-tree -z`: a tree, staged files, an empty field, then messages of `n, n paths, type, text`. */
export function readMergeOutput(output: string): MergeOutput {
  const fields = output.split('\0');
  const tree = fields[0] ?? '';
  const stages = new Map<string, Record<'1' | '2' | '3', Stage | null>>();
  let at = 1;
  for (; fields[at]; at++) {
    const [, mode, oid, stage, path] = /^(\d+) ([0-9a-f]+) ([123])\t(.*)$/s.exec(fields[at]!) ?? [];
    if (!mode || !oid || !path) throw new Error('merge-tree printed a line that is not a staged file');
    const file = stages.get(path) ?? { 1: null, 2: null, 3: null };
    file[stage as '1' | '2' | '3'] = { mode, oid };
    stages.set(path, file);
  }
  const kinds = readKinds(fields.slice(at + 1));
  return { tree, files: [...stages].map(([path, file]) => ({ path, kind: kindOf(kinds.get(path), file), stages: file })) };
}

function readKinds(fields: readonly string[]): Map<string, string[]> {
  const kinds = new Map<string, string[]>();
  for (let at = 0; fields[at]; ) {
    const count = Number(fields[at]);
    const type = /^CONFLICT \((.*)\)$/.exec(fields[at + count + 1] ?? '')?.[1];
    if (type) for (const path of fields.slice(at + 1, at + 1 + count)) kinds.set(path, [...(kinds.get(path) ?? []), type]);
    at += count + 3;
  }
  return kinds;
}

/** git says `contents` for three things; a missing base and a binary file are worth telling apart. */
function kindOf(types: readonly string[] = [], stages: ConflictFile['stages']): string {
  const special = types.find((type) => type !== 'contents');
  if (special) return special;
  return stages['1'] === null && stages['2'] && stages['3'] ? 'add/add' : 'content';
}

/** The conflict regions of a merged file, each cut at 4 KB; `room` bounds the text of a whole report. */
export function hunksOf(text: string, room: number): Hunk[] {
  const hunks: Hunk[] = [];
  const lines = text.split('\n');
  let left = room;
  for (let start = 0; start < lines.length; start++) {
    if (!lines[start]!.startsWith('<<<<<<< ')) continue;
    const end = lines.findIndex((line, at) => at > start && line.startsWith('>>>>>>> '));
    const middle = lines.findIndex((line, at) => at > start && /^=======\r?$/.test(line));
    if (end === -1 || middle === -1 || middle > end) break;
    const base = lines.findIndex((line, at) => at > start && at < middle && line.startsWith('||||||| '));
    const shown = cut(lines.slice(start, end + 1).join('\n'), Math.min(HUNK_BYTES, left));
    left -= Buffer.byteLength(shown);
    hunks.push({ ours: [start + 2, (base === -1 ? middle : base) - start - 1], theirs: [middle + 2, end - middle - 1], text: shown });
    start = end;
  }
  return hunks;
}

function cut(text: string, bytes: number): string {
  const whole = Buffer.from(text);
  if (whole.length <= bytes) return text;
  const note = '\n[cut]';
  // A character cut in two decodes to U+FFFD, which is longer than the piece it replaces.
  const kept = whole
    .subarray(0, Math.max(0, bytes - note.length))
    .toString('utf8')
    .replace(/\uFFFD+$/, '');
  return bytes > note.length ? kept + note : '';
}

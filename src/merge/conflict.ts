/** What merging a submitted commit onto a state gives. An answer is final: both are commits. */
export type StackResult =
  | { readonly kind: 'clean'; readonly tree: string }
  | { readonly kind: 'contained' }
  | { readonly kind: 'conflict'; readonly report: ConflictReport }
  | { readonly kind: 'error'; readonly reason: string };

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
  readonly clean: boolean;
  readonly tree: string;
  readonly files: readonly { path: string; kind: string; stages: ConflictFile['stages'] }[];
  /** Files that both sides changed and git put together line by line. */
  readonly woven: readonly string[];
}

const HUNK_BYTES = 4 * 1024;

/** Reads `merge-tree --write-tree -z --messages`: a tree, staged files, an empty field, then messages of `n, n paths, type, text`. */
export function readMergeOutput(output: string): MergeOutput {
  return readMerge(output.split('\0'), 0).merged;
}

/** The same with `--stdin`: before each merge comes `1` for a clean one and `0` for a conflict, the reverse of the exit codes. */
export function readMergeBatch(output: string): MergeOutput[] {
  const fields = output.split('\0');
  const found: MergeOutput[] = [];
  for (let at = 0; fields[at]; ) {
    const { merged, next } = readMerge(fields, at + 1);
    if (fields[at] !== '0' && fields[at] !== '1') throw new Error('merge-tree printed no status');
    found.push({ ...merged, clean: fields[at] === '1' });
    at = next;
  }
  return found;
}

function readMerge(fields: readonly string[], start: number): { merged: MergeOutput; next: number } {
  const tree = fields[start] ?? '';
  if (!/^[0-9a-f]{40,}$/.test(tree)) throw new Error('merge-tree printed no tree');
  const stages = new Map<string, Record<'1' | '2' | '3', Stage | null>>();
  let at = start + 1;
  for (; fields[at]; at++) {
    const [, mode, oid, stage, path] = /^(\d+) ([0-9a-f]+) ([123])\t(.*)$/s.exec(fields[at]!) ?? [];
    if (!mode || !oid || !path) throw new Error('merge-tree printed a line that is not a staged file');
    const file = stages.get(path) ?? { 1: null, 2: null, 3: null };
    file[stage as '1' | '2' | '3'] = { mode, oid };
    stages.set(path, file);
  }
  const said = readMessages(fields, at + 1);
  const files = [...stages].map(([path, file]) => ({ path, kind: kindOf(said.kinds.get(path), file), stages: file }));
  return { merged: { clean: files.length + said.kinds.size === 0, tree, files, woven: said.woven }, next: said.next };
}

/** Ends at an empty field, or at the advice about submodules that git prints in its place. */
function readMessages(fields: readonly string[], start: number) {
  const kinds = new Map<string, string[]>();
  const woven: string[] = [];
  let at = start;
  while (/^\d+$/.test(fields[at] ?? '')) {
    const count = Number(fields[at]);
    const paths = fields.slice(at + 1, at + 1 + count);
    const type = fields[at + count + 1] ?? '';
    const conflict = /^CONFLICT \((.*)\)$/.exec(type)?.[1];
    if (conflict) for (const path of paths) kinds.set(path, [...(kinds.get(path) ?? []), conflict]);
    if (type === 'Auto-merging') woven.push(...paths);
    at += count + 3;
  }
  return { kinds, woven, next: at + 1 };
}

/** git says `contents` for four things; a missing base, a binary file and a submodule are worth telling apart. */
function kindOf(types: readonly string[] = [], stages: ConflictFile['stages']): string {
  if (stages['2']?.mode === GITLINK && stages['3']?.mode === GITLINK) return 'submodule';
  const special = types.find((type) => type !== 'contents');
  if (special) return special === 'distinct modes' ? 'file/link' : special;
  return stages['1'] === null && stages['2'] && stages['3'] ? 'add/add' : 'content';
}

/** The mode of a submodule in a tree. */
export const GITLINK = '160000';

/** The conflict regions of a merged file, each cut at 4 KB; `room` bounds the text of a whole report. */
export function hunksOf(text: string, room: number): Hunk[] {
  const hunks: Hunk[] = [];
  const lines = text.split('\n');
  let left = room;
  for (let start = 0; start < lines.length && left > 0; start++) {
    if (!lines[start]!.startsWith('<<<<<<< ')) continue;
    let [base, middle, end] = [-1, -1, start + 1];
    for (; end < lines.length && !lines[end]!.startsWith('>>>>>>> '); end++) {
      if (middle === -1 && base === -1 && lines[end]!.startsWith('||||||| ')) base = end;
      if (middle === -1 && /^=======\r?$/.test(lines[end]!)) middle = end;
    }
    if (end === lines.length || middle === -1) break;
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

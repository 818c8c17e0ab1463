import type { MergeAnswer, Stages } from '../../platform/git/merge-output.ts';
import { GITLINK } from './file-modes.ts';

/** The result of merging a submitted commit onto a state. It is final, because both are commits. */
export type StackResult =
  /** `mended`: the conflicts that rules resolved, and how. */
  | { readonly kind: 'clean'; readonly tree: string; readonly mended?: readonly Mend[] }
  | { readonly kind: 'contained' }
  | { readonly kind: 'conflict'; readonly report: ConflictReport }
  /** `forbidden`: a rule of the farm forbids it; the commits themselves are fine. */
  | { readonly kind: 'error'; readonly reason: string; readonly forbidden?: true };

/** The reasons why two sides did not merge, file by file: all that an agent needs to resolve it. */
export interface ConflictReport {
  readonly version: 1;
  readonly task: string;
  readonly attempt: number;
  readonly target: string;
  readonly base: string | null;
  readonly ours: string;
  readonly theirs: string;
  /** The ref of the merge as git left it, with markers. */
  readonly ref: string;
  readonly files: readonly ConflictFile[];
  /** The number of conflicting files beyond the first 200. */
  readonly omitted: number;
  readonly suggested: string;
}

export interface ConflictFile {
  readonly path: string;
  /** `content`, `add/add`, `modify/delete`, `rename/rename`, `binary`, … as git names them. */
  readonly kind: string;
  readonly stages: Stages;
  readonly hunks: readonly Hunk[];
  /** Landings on the target that touched the path since the sides parted. */
  readonly oursTasks: readonly { task: string; commit: string; intent: string }[];
  readonly theirsTasks: readonly { task: string; intent: string }[];
}

/** One conflict region; `[first line, lines]` count in the file with the markers, which the agent will see. */
export interface Hunk {
  readonly ours: readonly [number, number];
  readonly theirs: readonly [number, number];
  readonly text: string;
}

export interface Mend {
  readonly path: string;
  readonly how: 'union' | 'rerere' | 'regenerated';
}

export interface MergeOutput {
  readonly clean: boolean;
  readonly tree: string;
  readonly files: readonly { path: string; kind: string; stages: Stages }[];
  /** Files that both sides changed and git merged line by line. */
  readonly woven: readonly string[];
  /** As git reports them: some leave no file in conflict, for example a folder that was split. */
  readonly conflicts: readonly { paths: readonly string[]; kind: string }[];
}

const HUNK_BYTES = 4 * 1024;

/** The part of git's answer that the queue needs. */
export function outputOf({ clean, tree, staged, messages }: MergeAnswer): MergeOutput {
  const kinds = new Map<string, string[]>();
  const conflicts = messages.flatMap(({ paths, type }) => {
    // Some come without the space: `CONFLICT(directory rename unclear split)`.
    const kind = /^CONFLICT ?\((.*)\)$/.exec(type)?.[1];
    return kind === undefined ? [] : [{ paths, kind }];
  });
  for (const { paths, kind } of conflicts) for (const path of paths) kinds.set(path, [...(kinds.get(path) ?? []), kind]);
  const files = [...staged].map(([path, stages]) => ({ path, kind: kindOf(kinds.get(path), stages), stages }));
  const woven = messages.flatMap(({ paths, type }) => (type === 'Auto-merging' ? paths : []));
  return { clean, tree, files, woven, conflicts };
}

/** The kind of a conflict. Git says `contents` for four things; a missing base, a binary file and a submodule have kinds of their own. */
function kindOf(types: readonly string[] = [], stages: Stages): string {
  if (stages['2']?.mode === GITLINK && stages['3']?.mode === GITLINK) return 'submodule';
  const special = types.find((type) => type !== 'contents');
  if (special) return special === 'distinct modes' ? 'file/link' : special;
  return stages['1'] === null && stages['2'] && stages['3'] ? 'add/add' : 'content';
}

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

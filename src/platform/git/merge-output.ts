/** One side's version of a file in conflict. */
export interface Stage {
  readonly mode: string;
  readonly oid: string;
}

export type Stages = Readonly<Record<'1' | '2' | '3', Stage | null>>;

interface MergeMessage {
  readonly paths: readonly string[];
  /** `Auto-merging`, `CONFLICT (contents)`, `CONFLICT (file/directory)`, … */
  readonly type: string;
}

/** The answer of `merge-tree` about two commits. */
export interface MergeAnswer {
  readonly clean: boolean;
  /** Contains conflict markers if the merge is not clean. */
  readonly tree: string;
  readonly staged: ReadonlyMap<string, Stages>;
  readonly messages: readonly MergeMessage[];
}

/**
 * Parses the output of `merge-tree --write-tree -z --messages`: a tree, staged files, an empty field, then messages of `n, n paths, type,
 * text`.
 */
export function readMerge(output: string, clean: boolean): MergeAnswer {
  return readOne(output.split('\0'), 0, clean).answer;
}

/** Parses the output with `--stdin`: each merge begins with `1` when clean and `0` with a conflict, the reverse of the exit codes. */
export function readMerges(output: string): MergeAnswer[] {
  const fields = output.split('\0');
  const found: MergeAnswer[] = [];
  for (let at = 0; fields[at]; ) {
    if (fields[at] !== '0' && fields[at] !== '1') throw new Error('merge-tree printed no status');
    const { answer, next } = readOne(fields, at + 1, fields[at] === '1');
    found.push(answer);
    at = next;
  }
  return found;
}

function readOne(fields: readonly string[], start: number, clean: boolean): { answer: MergeAnswer; next: number } {
  const tree = fields[start] ?? '';
  if (!/^[0-9a-f]{40,}$/.test(tree)) throw new Error('merge-tree printed no tree');
  const staged = new Map<string, Record<'1' | '2' | '3', Stage | null>>();
  let at = start + 1;
  for (; fields[at]; at++) {
    const [, mode, oid, stage, path] = /^(\d+) ([0-9a-f]+) ([123])\t(.*)$/s.exec(fields[at]!) ?? [];
    if (!mode || !oid || !path) throw new Error('merge-tree printed a line that is not a staged file');
    const file = staged.get(path) ?? { 1: null, 2: null, 3: null };
    file[stage as '1' | '2' | '3'] = { mode, oid };
    staged.set(path, file);
  }
  const { messages, next } = readMessages(fields, at + 1);
  return { answer: { clean, tree, staged, messages }, next };
}

/** Reads up to an empty field, or up to the advice about submodules that git prints in its place. */
function readMessages(fields: readonly string[], start: number): { messages: MergeMessage[]; next: number } {
  const messages: MergeMessage[] = [];
  let at = start;
  while (/^\d+$/.test(fields[at] ?? '')) {
    const count = Number(fields[at]);
    messages.push({ paths: fields.slice(at + 1, at + 1 + count), type: fields[at + count + 1] ?? '' });
    at += count + 3;
  }
  return { messages, next: at + 1 };
}

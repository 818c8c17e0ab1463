/** Trailers that only furrow may write: a lost store is rebuilt from them, and people read them as proof. */
const OURS = /^Furrow-(Task|Branch|Phase|Attempt|Agent|Review|Check)\s*:/i;
const GENERATED = /^(Signed-off-by: |\(cherry picked from commit )/;
const TRAILER = /^[A-Za-z0-9-]+[ \t]*:/;

/** The lines of a message, each with its newline. */
const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
const isBlank = (line: string) => /^[ \t\r\n]*$/.test(line);
const isComment = (line: string) => line.startsWith('#');

interface Block {
  /** The index of its first line, and of the line after its last. */
  readonly start: number;
  readonly end: number;
}

/**
 * The lines in which git finds the trailers of a message, by the rules of git's `trailer.c` with the usual comment sign and separator. `git
 * interpret-trailers` would be one more git for each message, of the ten that a landed task takes.
 */
function blockOf(lines: readonly string[]): Block | undefined {
  const end = lines.length - ignoredAtEnd(lines);
  const title = lines.findIndex((line) => !isComment(line) && isBlank(line));
  if (title === -1) return undefined;
  let [trailers, others, folded, generated, seen] = [0, 0, 0, false, false];
  for (let at = end - 1; at >= title; at--) {
    const line = lines[at]!;
    if (isComment(line)) {
      others += folded;
      folded = 0;
    } else if (isBlank(line)) {
      if (!seen) continue;
      others += folded;
      const found = generated ? trailers * 3 >= others : trailers > 0 && others === 0;
      return found ? { start: at + 1, end } : undefined;
    } else {
      seen = true;
      generated ||= GENERATED.test(line);
      if (GENERATED.test(line) || TRAILER.test(line)) [trailers, folded] = [trailers + 1, 0];
      else if (/^[ \t]/.test(line)) folded += 1;
      else [others, folded] = [others + 1 + folded, 0];
    }
  }
  return undefined;
}

/** The comments, blank lines and old list of conflicts at the end, which git ignores. */
function ignoredAtEnd(lines: readonly string[]): number {
  let from: number | undefined;
  let conflicts = false;
  for (const [at, line] of lines.entries()) {
    if (isComment(line) || line === '\n') from ??= at;
    else if (line === 'Conflicts:\n') [from, conflicts] = [from ?? at, true];
    else if (!(conflicts && line.startsWith('\t'))) [from, conflicts] = [undefined, false];
  }
  return from === undefined ? 0 : lines.length - from;
}

/** The trailers in some lines, each with the lines that continue it. */
function trailersIn(lines: readonly string[]): string[] {
  const found: string[] = [];
  let last = false;
  for (const line of lines) {
    if (isComment(line)) continue;
    if (/^[ \t]/.test(line) && last) found.push(found.pop()! + line);
    else {
      last = TRAILER.test(line);
      if (last) found.push(line);
    }
  }
  return found;
}

interface Parted {
  /** Everything before the trailers, without blank lines at the end. */
  readonly text: string;
  /** Without newline at the end, and without furrow's own. */
  readonly trailers: readonly string[];
}

/** Separates a message from its trailers. */
export function partMessage(message: string): Parted {
  const lines = linesOf(message);
  const block = blockOf(lines);
  const trailers = block ? trailersIn(lines.slice(block.start, block.end)) : [];
  const text = block ? lines.slice(0, block.start).join('') : message;
  return { text: text.trimEnd(), trailers: trailers.filter((one) => !OURS.test(one)).map((one) => one.trimEnd()) };
}

/**
 * Adds trailers after those of a message, and changes nothing else. Furrow's trailers that somebody else wrote are removed, because they
 * may be false.
 */
export function appendTrailers(message: string, own: readonly string[]): string {
  const lines = linesOf(message);
  const block = blockOf(lines);
  if (!block) return asParagraph(lines, own);
  const inside = lines.slice(block.start, block.end);
  const length = inside.findLastIndex((line) => !isBlank(line) && !isComment(line)) + 1;
  const kept = withoutOurs(inside.slice(0, length));
  const before = lines.slice(0, block.start);
  const after = [...inside.slice(length), ...lines.slice(block.end)];
  if (kept.length === 0) return asParagraph([...before, ...after], own);
  const joined = [...before, ...kept.slice(0, -1), ended(kept.at(-1)!), ...own.map((line) => `${line}\n`), ...after];
  const found = blockOf(joined);
  const has = found && own.every((line) => joined.slice(found.start, found.end).includes(`${line}\n`));
  return has ? joined.join('') : asParagraph([...before, ...kept, ...after], own);
}

function withoutOurs(lines: readonly string[]): string[] {
  let dropped = false;
  return lines.filter((line) => {
    dropped = OURS.test(line) || (dropped && /^[ \t]/.test(line));
    return !dropped;
  });
}

function asParagraph(lines: readonly string[], own: readonly string[]): string {
  const last = lines.findLastIndex((line) => !isBlank(line));
  const text = lines.slice(0, last + 1);
  return `${[...text.slice(0, -1), ...text.slice(-1).map(ended)].join('')}\n${own.join('\n')}\n`;
}

const ended = (line: string) => (line.endsWith('\n') ? line : `${line}\n`);

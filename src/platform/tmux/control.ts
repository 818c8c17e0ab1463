/**
 * The protocol of a control-mode client, without the client. Input is latin1 (one character a byte), because a chunk may end inside a UTF-8
 * character.
 *
 * After every command we send a second line that prints a random seal. A reply is everything up to the sealed block, and a block ends at
 * the *last* line that carries its numbers: captured text can hold a forged `%end TIME NUMBER 1` (both numbers can be guessed), and if the
 * first such line counted, an agent could write our replies.
 */
export interface Reply {
  /** The output of the line's commands, in order. */
  readonly lines: readonly string[];
  /** The error of tmux when one command failed; the later commands did not run. */
  readonly error: string | undefined;
}

export type ControlEvent = { readonly on: 'note'; readonly line: string } | { readonly on: 'reply'; readonly reply: Reply };

interface ControlParser {
  /** Announces a line that was sent, by its seal. Replies come in the order of the lines. */
  expect(seal: string): void;
  feed(chunk: string): ControlEvent[];
}

const BEGIN = /^%begin (\d+ \d+ (\d+))$/;

export function controlParser(): ControlParser {
  const seals: string[] = [];
  let rest = '';
  let region: string[] | undefined;
  let foreign: string | undefined;

  function take(line: string): ControlEvent[] {
    if (region) {
      region.push(line);
      if (!isSealed(region, seals[0] ?? '')) return [];
      const events = readRegion(region.slice(0, -3));
      region = undefined;
      seals.shift();
      return events;
    }
    // Blocks with flags 0 are no replies: the attach itself, and the output of hooks.
    if (foreign !== undefined) {
      if (closes(line, foreign)) foreign = undefined;
      return [];
    }
    const begin = BEGIN.exec(line);
    if (!begin) return [{ on: 'note', line }];
    if (begin[2] === '1' && seals.length > 0) region = [line];
    else foreign = begin[1];
    return [];
  }

  return {
    expect: (seal) => void seals.push(seal),
    feed(chunk) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      return lines.flatMap(take);
    },
  };
}

function closes(line: string, numbers: string): boolean {
  return line === `%end ${numbers}` || line === `%error ${numbers}`;
}

function isSealed(region: readonly string[], seal: string): boolean {
  const end = region.at(-1) ?? '';
  return end.startsWith('%end ') && region.at(-2) === seal && region.at(-3) === end.replace('%end', '%begin');
}

/** The blocks between the first `%begin` and the seal: one reply. Lines between blocks are notifications. */
function readRegion(region: readonly string[]): ControlEvent[] {
  const notes: ControlEvent[] = [];
  let lines: readonly string[] = [];
  let error: string | undefined;
  for (let at = 0; at < region.length; at++) {
    const line = region[at] ?? '';
    const begin = BEGIN.exec(line);
    const end = begin ? region.findLastIndex((other) => closes(other, begin[1] ?? '')) : -1;
    if (!begin || end < at) {
      notes.push({ on: 'note', line });
      continue;
    }
    const body = region.slice(at + 1, end);
    at = end;
    if (begin[2] !== '1') continue;
    if (region[end]?.startsWith('%error')) error ??= body.join('\n') || 'no reason given';
    else lines = [...lines, ...body];
  }
  return [{ on: 'reply', reply: { lines, error } }, ...notes];
}

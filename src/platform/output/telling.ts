import { redact } from '../redact.ts';
import { clean } from '../strip-controls.ts';
import { isFrame, isWell, type Kind, kindOf } from './signs.ts';

/** The bounds of the telling lines. */
interface Bounds {
  readonly lines?: number;
  readonly columns?: number;
}

/** Stands where lines were left out. */
export const GAP = '…';

const LINES = 12;
const COLUMNS = 200;
/** Lines around an error that usually belong to it: the source line above, the diff or the message below. */
const BEFORE = 2;
const AFTER = 8;
const NAMED_WITHIN = 6;

/**
 * The lines of a check's output that say what went wrong, in their order: the first error with what surrounds it, the
 * names of what failed and the summary of the test runner; without any of these, the last lines. They are plain text
 * (no escape sequences, no secrets), at most `lines` of at most `columns` characters, gaps included.
 */
export function tellingLines(output: string, { lines = LINES, columns = COLUMNS }: Bounds = {}): string[] {
  const all = plainLines(output);
  const ranks = rankLines(all);
  const most = Math.max(1, lines);
  const chosen = ranks.size === 0 ? lastLines(all, most) : bestLines(ranks, most);
  return withGaps(all, chosen, most).map((line) => shortened(line, columns));
}

/** The lines as last drawn (`\r` overwrites a line), with trimmed ends. */
function plainLines(output: string): string[] {
  const lines = output.split('\n').map((line) => clean(line.replace(/\r+$/, '').replace(/^.*\r/s, '')));
  // The whole text at once: a secret may have several lines.
  return redact(lines.join('\n'))
    .split('\n')
    .map((line) => line.trimEnd());
}

/** Gives each telling line a rank: the smaller the number, the more the line tells. Other lines have none. */
function rankLines(all: readonly string[]): Map<number, number> {
  const ranks = new Map<number, number>();
  const rank = (at: number, value: number) => {
    if (all[at] && value < (ranks.get(at) ?? Number.POSITIVE_INFINITY)) ranks.set(at, value);
  };
  const found = all.map((line, at) => ({ at, kind: kindOf(line) })).filter((one): one is Hit => one.kind !== undefined);
  const seen: Record<Kind, number> = { cause: 0, failed: 0, summary: 0, consequence: 0 };
  for (const { at, kind } of namedFirst(found)) {
    const nth = seen[kind]++;
    rank(at, FIRST[kind] + (nth === 0 ? 0 : LATER[kind] + nth));
    if (kind !== 'cause' && kind !== 'failed') continue;
    const around = nth === 0 ? AROUND[kind] : LATER[kind] + nth + 30;
    for (const [n, near] of following(all, at).entries()) rank(near, around + n);
    if (kind === 'cause') for (let n = 1; n <= BEFORE; n++) if (isSource(all[at - n])) rank(at - n, around + 1 + n);
  }
  return ranks;
}

interface Hit {
  readonly at: number;
  readonly kind: Kind;
}

const FIRST: Record<Kind, number> = { cause: 1, failed: 2, summary: 10, consequence: 60 };
const LATER: Record<Kind, number> = { cause: 40, failed: 30, summary: 5, consequence: 60 };
const AROUND = { cause: 20, failed: 24 };

/** Puts the name beside the first error first: a runner lists what failed and names each again above its error. */
function namedFirst(found: readonly Hit[]): Hit[] {
  const cause = found.find((one) => one.kind === 'cause');
  const name = cause && found.findLast((one) => one.kind === 'failed' && one.at < cause.at && one.at >= cause.at - NAMED_WITHIN);
  return name ? [name, ...found.filter((one) => one !== name)] : [...found];
}

/** The lines below an error that belong to it: up to the next error, without stack frames of the runner. */
function following(all: readonly string[], at: number): number[] {
  const near: number[] = [];
  for (let next = at + 1; next < all.length && near.length < AFTER && next <= at + 2 * AFTER; next++) {
    const line = all[next]!;
    const kind = kindOf(line);
    if (kind === 'failed' || kind === 'summary' || kind === 'consequence') break;
    if (line !== '' && !isFrame(line)) near.push(next);
  }
  return near;
}

/** An indented line above an error is the source line or the frame that it is about. */
const isSource = (line: string | undefined) => line !== undefined && /^(?:\s+|> +)\S/.test(line) && !isFrame(line) && !isWell(line);

function bestLines(ranks: ReadonlyMap<number, number>, most: number): number[] {
  return [...ranks]
    .sort(([a, first], [b, second]) => first - second || a - b)
    .slice(0, most)
    .map(([at]) => at);
}

function lastLines(all: readonly string[], most: number): number[] {
  return [...all.keys()].filter((at) => all[at] !== '').slice(-most);
}

/** The chosen lines in order, with a mark where lines are missing. Marks count too, so the least telling lines give way to them. */
function withGaps(all: readonly string[], chosen: readonly number[], most: number): string[] {
  for (let keep = chosen.length; ; keep--) {
    const order = chosen.slice(0, keep).sort((a, b) => a - b);
    const shown = order.flatMap((at, n) => [...(n > 0 && skips(all, order[n - 1]!, at) ? [GAP] : []), all[at]!]);
    if (shown.length <= most || keep <= 1) return shown;
  }
}

const skips = (all: readonly string[], from: number, to: number) => all.slice(from + 1, to).some((line) => line !== '');

function shortened(line: string, columns: number): string {
  const letters = [...line];
  return letters.length <= columns ? line : `${letters.slice(0, columns - 1).join('')}…`;
}

/** `>=20`, `^22.1`, `20.x`: an operator, and a version of which the end may be left out. */
const COMPARATOR = /^([<>]=?|=|~>?|\^)?v?(\d+|[xX*])(?:\.(\d+|[xX*]))?(?:\.(\d+|[xX*]))?(?:[-+][\w.+-]*)?$/;

/** From the first version on, up to and without the second, as numbers that compare like versions. */
type Span = readonly [from: number, to: number];

const EVERY: Span = [0, Number.POSITIVE_INFINITY];

/** True when a version is in a range as npm reads it; `undefined` when the range cannot be read. Pre-releases count as their release. */
export function inRange(version: string, range: string): boolean | undefined {
  const [, major = '', minor = '', patch = ''] = /^v?(\d+)\.(\d+)\.(\d+)/.exec(version.trim()) ?? [];
  const at = rank([Number(major), Number(minor), Number(patch)]);
  const parts = range.split('||').map(spansOf);
  if (major === '' || parts.some((spans) => spans === undefined)) return undefined;
  return parts.some((spans) => spans!.every(([from, to]) => at >= from && at < to));
}

/** All of these must hold. */
function spansOf(part: string): Span[] | undefined {
  const dashed = /^\s*(\S+)\s+-\s+(\S+)\s*$/.exec(part);
  const words = dashed
    ? [`>=${dashed[1]}`, `<=${dashed[2]}`]
    : part
        .replace(/([<>=~^])\s+/g, '$1')
        .split(/\s+/)
        .filter(Boolean);
  const spans = words.map(spanOf);
  return spans.includes(undefined) ? undefined : (spans as Span[]);
}

function spanOf(word: string): Span | undefined {
  const [whole, operator = '', ...digits] = COMPARATOR.exec(word) ?? [];
  if (whole === undefined) return undefined;
  const end = digits.findIndex((digit) => digit === undefined || !/^\d+$/.test(digit));
  const given = digits.slice(0, end < 0 ? 3 : end).map(Number);
  if (given.length === 0) return EVERY;
  const from = rank(given);
  const after = rank(bumped(given, given.length));
  if (operator === '>=') return [from, EVERY[1]];
  if (operator === '>') return [after, EVERY[1]];
  if (operator === '<') return [0, from];
  if (operator === '<=') return [0, after];
  if (operator.startsWith('~')) return [from, rank(bumped(given, Math.min(2, given.length)))];
  // The first part that is not zero stays.
  if (operator === '^')
    return [
      from,
      rank(
        bumped(
          given,
          1 +
            Math.min(
              given.length - 1,
              Math.max(
                0,
                given.findIndex((one) => one > 0),
              ),
            ),
        ),
      ),
    ];
  return [from, after];
}

const rank = ([major = 0, minor = 0, patch = 0]: readonly number[]) => (major * 1e5 + minor) * 1e5 + patch;

/** The first version after all that begin with so many of these parts. */
const bumped = (given: readonly number[], parts: number) => given.slice(0, parts).map((one, at) => (at === parts - 1 ? one + 1 : one));

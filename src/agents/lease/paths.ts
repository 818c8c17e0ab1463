import { matchesAny } from '../../platform/glob.ts';
import { type Atom, type Part, readGlob } from './glob.ts';

/** A set of patterns that was read once, to be compared often. */
type Paths = readonly (readonly Part[])[];

const readPaths = (globs: readonly string[]): Paths => globs.flatMap(readGlob);

/** False only when no path at all matches a pattern of each: two holders of such leases cannot meet in a file. */
function overlap(a: Paths, b: Paths): boolean {
  return a.some((one) => b.some((other) => meet(one, other, partsMeet)));
}

/** The same for patterns that nobody has read yet. */
export const globsOverlap = (a: readonly string[], b: readonly string[]): boolean => overlap(readPaths(a), readPaths(b));

interface Holding {
  readonly kind: 'path' | 'resource';
  readonly names: readonly string[];
  readonly mode: 'exclusive' | 'shared';
  readonly standing: string;
  readonly origin: string;
}

/**
 * True when a lease keeps others from changing a path. Two tasks that name the same path are left to the queue to merge; what
 * somebody has reserved is kept from everybody else.
 */
export function isKept(lease: Holding, path: string, own: readonly string[]): boolean {
  if (lease.kind !== 'path' || lease.standing !== 'held' || lease.mode === 'shared') return false;
  return matchesAny(path, lease.names) && (lease.origin === 'reserved' || !matchesAny(path, own));
}

/** The leases that go into the queue with the work of their holder: the paths of its task, and what it reserved and has changed. */
export function goWithWork<L extends Holding>(own: readonly L[], changed: readonly string[]): L[] {
  const held = own.filter(({ kind, standing }) => kind === 'path' && standing === 'held');
  return held.filter(({ origin, names }) => origin === 'declared' || changed.some((path) => matchesAny(path, names)));
}

const partsMeet = (a: Part, b: Part): boolean => a !== 'rest' && b !== 'rest' && meet(a, b, atomsMeet);

function atomsMeet(a: Atom, b: Atom): boolean {
  if (a.is !== 'of' || b.is !== 'of') return true;
  return [...a.chars].some((char) => b.chars.includes(char));
}

const isAny = (one: Part | Atom): boolean => one === 'rest' || ('is' in one && one.is === 'some');

/**
 * True when two sequences can stand for the same thing, where some of their members stand for any number of others. `reached` holds
 * for each place in `b` whether it can be reached together with the place in `a`.
 */
function meet<T extends Part | Atom>(a: readonly T[], b: readonly T[], same: (a: T, b: T) => boolean): boolean {
  let reached = reachAlong(b, [true]);
  for (const one of a) {
    const next: boolean[] = [];
    for (let at = 0; at <= b.length; at++) {
      // `one` stands for nothing, for what stood here before, or for the member of `b` before this place.
      const alone = isAny(one) && (reached[at] || (at > 0 && next[at - 1]));
      const beside = at > 0 && isAny(b[at - 1]!) && reached[at];
      const together = at > 0 && reached[at - 1] && !isAny(one) && !isAny(b[at - 1]!) && same(one, b[at - 1]!);
      next[at] = Boolean(alone || beside || together);
    }
    reached = reachAlong(b, next);
  }
  return reached[b.length] === true;
}

/** A member of `b` that may stand for nothing lets the place behind it be reached as well. */
function reachAlong<T extends Part | Atom>(b: readonly T[], reached: readonly boolean[]): boolean[] {
  const along = b.map((_, at) => reached[at] === true).concat(reached[b.length] === true);
  for (let at = 0; at < b.length; at++) if (along[at] && isAny(b[at]!)) along[at + 1] = true;
  return along;
}

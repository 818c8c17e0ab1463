import { globsOverlap } from './paths.ts';
import type { Lease } from './state.ts';

/** The leases that are not over, in the order of arrival, and how many units each resource has. */
export interface LeaseBook {
  readonly leases: readonly Lease[];
  readonly capacity: Readonly<Record<string, number>>;
  /** True when some path matches a pattern of each; a caller that asks often remembers the answers. */
  readonly overlap?: Overlap;
}

type Overlap = (a: readonly string[], b: readonly string[]) => boolean;

/**
 * The leases that are granted now, in the order of arrival. Nobody who came later and wants the same goes first, except a holder for whom
 * the earlier one itself waits: in line behind it, both would wait for ever.
 */
export function planGrants(book: LeaseBook): Lease[] {
  return look(book).granted;
}

/** For each lease that still waits, the leases that it waits for: held ones, and those before it in line. */
export function waits(book: LeaseBook): Map<Lease, Lease[]> {
  return look(book).waiting;
}

/** The leases that would be in the way of a new one; none: it is granted at once. */
export function inTheWay(book: LeaseBook, wanted: Lease): Lease[] {
  return waits({ ...book, leases: [...book.leases, wanted] }).get(wanted) ?? [];
}

function look({ leases, capacity, overlap = globsOverlap }: LeaseBook): { granted: Lease[]; waiting: Map<Lease, Lease[]> } {
  const held = leases.filter((lease) => lease.standing === 'held');
  const line: Lease[] = [];
  const granted: Lease[] = [];
  const waiting = new Map<Lease, Lease[]>();
  const waitsFor: WaitsFor = new Map();
  for (const one of leases) {
    if (one.standing !== 'waiting') continue;
    const before = line.filter((earlier) => isBefore(earlier, one, overlap) && !reachable(waitsFor, earlier.holder).has(one.holder));
    const behind = [...holdersInWay(one, held, capacity, overlap), ...before];
    if (behind.length === 0) {
      granted.push(one);
      held.push(one);
      continue;
    }
    waiting.set(one, behind);
    line.push(one);
    waitsFor.set(one.holder, new Set([...(waitsFor.get(one.holder) ?? []), ...behind.map((other) => other.holder)]));
  }
  return { granted, waiting };
}

/** True when a lease that came earlier, and waits too, goes first. */
function isBefore(earlier: Lease, one: Lease, overlap: Overlap): boolean {
  if (earlier.holder === one.holder || earlier.kind !== one.kind) return false;
  if (earlier.mode === 'shared' && one.mode === 'shared') return false;
  return one.kind === 'path' ? overlap(earlier.names, one.names) : one.names.some((name) => earlier.names.includes(name));
}

function holdersInWay(one: Lease, held: readonly Lease[], capacity: LeaseBook['capacity'], overlap: Overlap): Lease[] {
  const others = held.filter((other) => other.kind === one.kind && other.holder !== one.holder);
  if (one.kind === 'path')
    return others.filter((other) => (other.mode === 'exclusive' || one.mode === 'exclusive') && overlap(other.names, one.names));
  const short = one.names.filter((name) => unitsUsed([...held, one], name) > (capacity[name] ?? 0));
  return others.filter((other) => other.names.some((name) => short.includes(name)));
}

/** The units of a resource that are taken: each holder's largest hold, and one unit for all who share it. */
export function unitsUsed(held: readonly Lease[], name: string): number {
  const own = new Map<string, number>();
  const sharing = new Set<string>();
  for (const { kind, names, mode, holder, count } of held) {
    if (kind !== 'resource' || !names.includes(name)) continue;
    if (mode === 'shared') sharing.add(holder);
    else own.set(holder, Math.max(own.get(holder) ?? 0, count));
  }
  const alsoShared = [...sharing].some((holder) => !own.has(holder));
  return [...own.values()].reduce((sum, count) => sum + count, alsoShared ? 1 : 0);
}

/**
 * The cycles of holders that wait for each other: none of them can go on before a person lets one go. Each cycle is named once, by
 * the waiting leases in it, in the order of arrival.
 */
export function waitCycles(book: LeaseBook): Lease[][] {
  const waiting = waits(book);
  const waitsFor: WaitsFor = new Map();
  for (const [lease, behind] of waiting)
    waitsFor.set(lease.holder, new Set([...(waitsFor.get(lease.holder) ?? []), ...behind.map((other) => other.holder)]));
  const reach = new Map([...waitsFor.keys()].map((holder) => [holder, reachable(waitsFor, holder)]));
  const cycles = new Map<string, Lease[]>();
  for (const lease of waiting.keys()) {
    const mine = reach.get(lease.holder)!;
    if (!mine.has(lease.holder)) continue;
    const members = [...reach.keys()].filter((other) => mine.has(other) && reach.get(other)!.has(lease.holder)).sort();
    const key = JSON.stringify(members);
    cycles.set(key, [...(cycles.get(key) ?? []), lease]);
  }
  return [...cycles.values()];
}

/** The other waiting leases of the cycle that a new one would close; none: its turn will come. */
export function cycleClosedBy(book: LeaseBook, wanted: Lease): Lease[] {
  const cycle = waitCycles({ ...book, leases: [...book.leases, wanted] }).find((leases) => leases.includes(wanted)) ?? [];
  return cycle.filter((lease) => lease !== wanted);
}

/** An entry of the queue and the leases of others on what it changes; entries are in the order of arrival. */
export interface Trespass<L extends Lease = Lease> {
  readonly entry: number;
  /** The holder that the entry's own leases are in the name of. */
  readonly holder: string;
  readonly leases: readonly L[];
  /** Holders whose work must land before it. */
  readonly after: readonly string[];
}

/**
 * The entries that are held back, each with the lease that does it. A holder who waits, for a lease or in the queue, for what an entry has is not
 * waited for by that entry: both would wait for ever. Of entries that are in each other's way the oldest goes first.
 */
export function holdBacks<L extends Lease>(book: LeaseBook, entries: readonly Trespass<L>[]): Map<number, L> {
  const waitsFor: WaitsFor = new Map();
  const add = (from: string, to: string) => waitsFor.set(from, new Set([...(waitsFor.get(from) ?? []), to]));
  for (const [lease, behind] of waits(book)) for (const other of behind) add(lease.holder, other.holder);
  for (const { holder, after } of entries) for (const other of after) add(holder, other);
  const found = new Map<number, L>();
  for (const { entry, holder, leases } of entries.toReversed()) {
    const free = leases.filter((lease) => lease.holder !== holder && !reachable(waitsFor, lease.holder).has(holder));
    for (const lease of free) add(holder, lease.holder);
    if (free[0]) found.set(entry, free[0]);
  }
  return found;
}

/** Holders, each with the holders that it waits for. */
type WaitsFor = Map<string, ReadonlySet<string>>;

/** All holders that a holder waits for, directly or through others. */
function reachable(waitsFor: WaitsFor, from: string): Set<string> {
  const found = new Set<string>();
  const open = [from];
  for (let at = open.pop(); at !== undefined; at = open.pop())
    for (const other of waitsFor.get(at) ?? [])
      if (!found.has(other)) {
        found.add(other);
        open.push(other);
      }
  return found;
}

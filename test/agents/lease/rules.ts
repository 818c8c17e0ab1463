import { unitsUsed } from '../../../src/agents/lease/plan.ts';
import type { Lease } from '../../../src/agents/lease/state.ts';
import { clash, type Product, World } from './model.ts';

/** How often what the model is about has happened: a model in which nobody waits proves nothing. */
export interface Counts {
  turns: number;
  grants: number;
  waits: number;
  circles: number;
  deaths: number;
  works: number;
}

/** Plays one history. Answers the rule that was broken, or nothing. */
export function play(seed: string, product: Product, counts?: Counts): string | undefined {
  const world = new World(seed, product);
  for (let turn = 0; turn < 20; turn++) {
    const before = world.open;
    const granted = world.turn();
    const broken = twoHolders(world) ?? passed(before, granted, world) ?? forgotten(world) ?? unseen(world);
    if (broken) return `${broken}, in turn ${turn} of ${seed}`;
    if (counts) count(counts, world, granted);
  }
  if (counts) counts.deaths += world.holders.filter((one) => !one.alive).length;
  const stuck = everybodyHasATurn(world);
  return stuck && `${stuck}, at the end of ${seed}`;
}

function count(counts: Counts, world: World, granted: readonly Lease[]): void {
  counts.turns++;
  counts.grants += granted.length;
  counts.waits += world.open.filter((lease) => lease.standing === 'waiting').length;
  counts.circles += world.circles.length;
  counts.works += world.works.length;
}

/** What living holders believe in, and the work that has not landed yet, can be true at the same time. */
function twoHolders({ holders, works, most }: World): string | undefined {
  const beliefs = [...holders.flatMap((holder) => [...holder.beliefs.values()]), ...works];
  for (const a of beliefs)
    for (const b of beliefs)
      if (a.kind === 'path' && a.holder < b.holder && clash(a, b)) return `${a.holder} and ${b.holder} both hold ${a.names} and ${b.names}`;
  for (const [name, units] of Object.entries(most))
    if (unitsUsed(beliefs, name) > units) return `${unitsUsed(beliefs, name)} units of ${name} are held, and there are ${units}`;
  return undefined;
}

/** The holders for whom one waits, by the rules and not by the planner: through whatever is held, and through who came first. */
function waitsFor(open: readonly Lease[], capacity: Readonly<Record<string, number>>): Map<string, Set<string>> {
  const held = open.filter((lease) => lease.standing === 'held');
  const waits = new Map<string, Set<string>>();
  const add = (from: string, to: string) => waits.set(from, (waits.get(from) ?? new Set()).add(to));
  for (const one of open.filter((lease) => lease.standing === 'waiting'))
    for (const other of held) if (other.holder !== one.holder && isInWay(other, one, held, capacity)) add(one.holder, other.holder);
  return waits;
}

function isInWay(other: Lease, one: Lease, held: readonly Lease[], capacity: Readonly<Record<string, number>>): boolean {
  if (one.kind !== other.kind) return false;
  if (one.kind === 'path') return clash(other, one);
  return one.names.some((name) => other.names.includes(name) && unitsUsed([...held, one], name) > (capacity[name] ?? 0));
}

function reaches(waits: ReadonlyMap<string, ReadonlySet<string>>, from: string, to: string, seen = new Set<string>()): boolean {
  if (seen.has(from)) return false;
  seen.add(from);
  return [...(waits.get(from) ?? [])].some((next) => next === to || reaches(waits, next, to, seen));
}

/** Nobody is passed by a later one that clashes with it, unless it waits for that one. */
function passed(before: readonly Lease[], granted: readonly Lease[], { open, capacity }: World): string | undefined {
  for (const later of granted) {
    const first = open.find((one) => one.standing === 'waiting' && one.id < later.id && one.holder !== later.holder && clash(one, later));
    if (!first) continue;
    const waits = waitsFor([...open.filter((one) => one.id !== later.id), ...before.filter((one) => one.id === later.id)], capacity);
    if (!couldWaitFor(open, waits, first.holder, later.holder)) return `${later.holder} (${later.names}) passed ${first.holder}`;
  }
  return undefined;
}

/** Also through somebody who stands before it in line. */
function couldWaitFor(open: readonly Lease[], waits: Map<string, Set<string>>, from: string, to: string): boolean {
  const line = open.filter((one) => one.standing === 'waiting');
  for (const one of line)
    for (const earlier of line)
      if (earlier.id < one.id && earlier.holder !== one.holder && clash(earlier, one))
        waits.set(one.holder, (waits.get(one.holder) ?? new Set()).add(earlier.holder));
  return reaches(waits, from, to);
}

/** Whoever waits has somebody in the way. */
function forgotten({ open, capacity }: World): string | undefined {
  const held = open.filter((lease) => lease.standing === 'held');
  const line = open.filter((lease) => lease.standing === 'waiting');
  const idle = line.find(
    (one) =>
      !held.some((other) => other.holder !== one.holder && isInWay(other, one, held, capacity)) &&
      !line.some((other) => other.id < one.id && other.holder !== one.holder && clash(other, one)),
  );
  return idle && `${idle.holder} waits for ${idle.names}, which nobody has`;
}

/** Holders that wait for each other through what they hold are found. */
function unseen(world: World): string | undefined {
  const waits = waitsFor(world.open, world.capacity);
  const lost = [...waits.keys()].find((holder) => reaches(waits, holder, holder));
  const found = new Set(world.circles.flat().map((lease) => lease.holder));
  return lost !== undefined && !found.has(lost) ? `${lost} waits for itself, and nobody is asked` : undefined;
}

function everybodyHasATurn(world: World): string | undefined {
  for (let more = true; more; ) {
    more = world.endOldest();
    world.grant();
  }
  const left = world.open[0];
  return left && `${left.holder} never gets ${left.names}`;
}

import { setImmediate } from 'node:timers/promises';
import { source } from './identity.ts';
import { readProc } from './linux.ts';
import type { Proc } from './source.ts';

export type { Proc } from './source.ts';

/** The variable that every process of an attempt starts with and passes to its children. */
const MARKER = 'FURROW_RUN';

/** Every process of the machine that we may see, in one synchronous read. */
export function processTable(): Proc[] {
  return source.all();
}

/** The arguments of a process; none when it has gone or is another user's. Linux only. */
export function argumentsOf({ pid }: Pick<Proc, 'pid'>): string[] {
  const text = readProc(pid, 'cmdline');
  return text ? Buffer.from(text, 'latin1').toString('utf8').split('\0') : [];
}

/** All descendants of the root (or roots), nearest first, without the roots. `skip` and its descendants are left out. */
export function descendants(table: readonly Proc[], root: number | readonly number[], skip?: number): Proc[] {
  const children = Map.groupBy(table, (p) => p.ppid);
  const found = new Set<Proc>();
  const roots = typeof root === 'number' ? [root] : root;
  const walk = [...roots];
  for (let pid = walk.shift(); pid !== undefined; pid = walk.shift()) {
    for (const child of children.get(pid) ?? []) {
      if (child.pid === skip || found.has(child) || roots.includes(child.pid)) continue;
      found.add(child);
      walk.push(child.pid);
    }
  }
  return [...found];
}

/** The processes started with `FURROW_RUN=<marker>`: it finds those of a tree whose parents have died. */
export function withMarker(table: readonly Proc[], marker: string): Proc[] {
  return marked({ table, markers: source.values(table, MARKER) }, marker);
}

/** Every process of a farm's attempts and slots; none without a farm. */
export function processesOf(farm: string | undefined): (Proc & { marker: string })[] {
  if (!farm) return [];
  const table = processTable();
  const markers = source.values(table, MARKER);
  return table.flatMap((p) => (markers.get(p.pid)?.startsWith(`${farm}.`) ? [{ ...p, marker: markers.get(p.pid)! }] : []));
}

/** By pid, the variable with which each of these processes was started. */
export const valuesOf = (table: readonly Proc[], variable: string): Map<number, string> => source.values(table, variable);

/** The table and every process's marker, read together. */
interface Snapshot {
  readonly table: readonly Proc[];
  readonly markers: ReadonlyMap<number, string>;
}

export function marked({ table, markers }: Snapshot, marker: string): Proc[] {
  return marker === '' ? [] : table.filter((p) => markers.get(p.pid) === marker);
}

let asked: Promise<Snapshot> | undefined;

/** A fresh snapshot, shared by all who ask in the same turn: stopping 20 agents together costs the reads of stopping one. */
export function snapshot(): Promise<Snapshot> {
  asked ??= setImmediate().then(() => {
    asked = undefined;
    const table = processTable();
    return { table, markers: source.values(table, MARKER) };
  });
  return asked;
}

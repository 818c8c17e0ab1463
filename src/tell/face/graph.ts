/** A thing that waits for others; ids that do not exist are left out. */
export interface GraphItem {
  readonly id: string;
  readonly after: readonly string[];
}

export interface GraphNode {
  readonly id: string;
  /** The column: one more than the highest of what it waits for. */
  readonly layer: number;
  /** The place in the column, in units of one node; not always whole. */
  readonly row: number;
}

export interface GraphEdge {
  readonly from: GraphNode;
  readonly to: GraphNode;
}

interface Graph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  readonly layers: number;
  readonly rows: number;
  /** Things that nothing waits for and that wait for nothing: they are not drawn. */
  readonly alone: number;
}

/** Sweeps over the columns; more of them make no visible difference with 500 tasks. */
const SWEEPS = 6;

/**
 * Draws dependencies in columns from left to right: the columns by the longest way, the order in them by the middle of their
 * neighbours, which takes most crossings away. Circles are cut where they are found.
 */
export function layout(items: readonly GraphItem[]): Graph {
  const byId = new Map(items.map((item) => [item.id, item]));
  const links = items.flatMap(({ id, after }) =>
    [...new Set(after)].filter((on) => on !== id && byId.has(on)).map((on) => ({ from: on, to: id })),
  );
  const before = grouped(links, 'to', 'from');
  const behind = grouped(links, 'from', 'to');
  const linked = items.filter(({ id }) => before.has(id) || behind.has(id)).map(({ id }) => id);
  const layer = layersOf(linked, before);
  const columns = ordered(linked, layer, before, behind);
  const tallest = Math.max(0, ...columns.map((column) => column.length));
  const nodes = new Map<string, GraphNode>();
  for (const [at, column] of columns.entries()) {
    const top = (tallest - column.length) / 2;
    for (const [row, id] of column.entries()) nodes.set(id, { id, layer: at, row: top + row });
  }
  return {
    nodes: [...nodes.values()],
    edges: links.map(({ from, to }) => ({ from: nodes.get(from)!, to: nodes.get(to)! })),
    layers: columns.length,
    rows: tallest,
    alone: items.length - linked.length,
  };
}

type Links = ReadonlyMap<string, readonly string[]>;

function grouped<T extends Record<'from' | 'to', string>>(links: readonly T[], by: 'from' | 'to', other: 'from' | 'to'): Links {
  const groups = new Map<string, string[]>();
  for (const link of links) {
    const group = groups.get(link[by]);
    if (group) group.push(link[other]);
    else groups.set(link[by], [link[other]]);
  }
  return groups;
}

/** Without recursion: a chain may be as long as the board. */
function layersOf(ids: readonly string[], before: Links): Map<string, number> {
  const layer = new Map<string, number>();
  const open = new Set<string>();
  for (const start of ids) {
    const path = [start];
    while (path.length > 0) {
      const id = path.at(-1)!;
      open.add(id);
      const next = layer.has(id) ? undefined : before.get(id)?.find((on) => !layer.has(on) && !open.has(on));
      if (next !== undefined) {
        path.push(next);
        continue;
      }
      path.pop();
      open.delete(id);
      if (!layer.has(id)) layer.set(id, Math.max(-1, ...(before.get(id) ?? []).map((on) => layer.get(on) ?? -1)) + 1);
    }
  }
  return layer;
}

function ordered(ids: readonly string[], layer: ReadonlyMap<string, number>, before: Links, behind: Links): string[][] {
  const byLayer = Map.groupBy(ids, (id) => layer.get(id)!);
  const columns = [...byLayer.keys()].sort((a, b) => a - b).map((at) => byLayer.get(at)!);
  const place = new Map<string, number>();
  const number = (column: readonly string[]) => {
    for (const [row, id] of column.entries()) place.set(id, row - column.length / 2);
  };
  for (const column of columns) number(column);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const links = sweep % 2 === 0 ? before : behind;
    for (const column of sweep % 2 === 0 ? columns : columns.toReversed()) {
      const middle = new Map(column.map((id) => [id, mean((links.get(id) ?? []).map((other) => place.get(other)!)) ?? place.get(id)!]));
      column.sort((a, b) => middle.get(a)! - middle.get(b)!);
      number(column);
    }
  }
  return columns;
}

const mean = (all: readonly number[]) => (all.length === 0 ? undefined : all.reduce((sum, one) => sum + one, 0) / all.length);

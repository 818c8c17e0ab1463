import type { Out } from '../../api/contract.ts';

export interface MatrixRow {
  readonly task: string;
  /** The paths on which it conflicts with the target as it is now. */
  readonly withTarget: readonly string[];
  /** By column: the paths that conflict between the two; null where a task meets itself. */
  readonly cells: readonly (readonly string[] | null)[];
  /** Conflicts in all of its row, the target's included. */
  readonly total: number;
}

/** The conflicts between all work in hand: rows and columns are the same tasks. */
export interface Matrix {
  readonly tasks: readonly string[];
  readonly rows: readonly MatrixRow[];
  /** The largest number of paths in one cell: the hottest colour. */
  readonly most: number;
}

const NONE: readonly string[] = [];

/** Only tasks that conflict with anything are in it: a hundred agents that do not meet are an empty matrix. */
export function matrixOf({ pairs, with_target: withTarget }: Out<'conflicts'>): Matrix {
  const met = new Map<string, readonly string[]>();
  for (const { a, b, paths } of pairs) {
    met.set(keyOf(a, b), paths);
    met.set(keyOf(b, a), paths);
  }
  const target = new Map(withTarget.map(({ task, paths }) => [task, paths]));
  const named = [...pairs.flatMap(({ a, b }) => [a, b]), ...target.keys()];
  const tasks = [...new Set(named)].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  const rows = tasks.map((task) => {
    const cells = tasks.map((other) => (other === task ? null : (met.get(keyOf(task, other)) ?? NONE)));
    const own = target.get(task) ?? NONE;
    return { task, withTarget: own, cells, total: own.length + cells.reduce((sum, cell) => sum + (cell?.length ?? 0), 0) };
  });
  const most = Math.max(0, ...rows.flatMap((row) => [row.withTarget.length, ...row.cells.map((cell) => cell?.length ?? 0)]));
  return { tasks, rows, most };
}

/** Names of tasks have no line end. */
const keyOf = (a: string, b: string) => `${a}\n${b}`;

/** The heat of a cell, 0 to `steps`: 0 only where nothing conflicts. */
export function heat(paths: number, most: number, steps: number): number {
  if (paths === 0 || most === 0) return 0;
  return Math.max(1, Math.ceil((paths / most) * steps));
}

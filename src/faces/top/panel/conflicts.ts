import { heat, type Matrix, type MatrixRow, matrixOf } from '../../../tell/face/matrix.ts';
import { cells, type Line, span, type Tone, toWidth, words } from '../line.ts';
import type { Model } from '../model.ts';
import { drawList, type Panel } from './panel.ts';

const NAME = 6;
const CELL = 4;

const known = new WeakMap<object, Matrix>();
function matrix({ conflicts }: Model): Matrix | undefined {
  if (!conflicts) return undefined;
  const made = known.get(conflicts) ?? matrixOf(conflicts);
  known.set(conflicts, made);
  return made;
}

export const conflictsPanel: Panel = {
  id: 'conflicts',
  name: 'Conflicts',
  count: ({ model }) => String(matrix(model)?.tasks.length ?? ''),
  columns: (model) => [matrix(model)?.tasks ?? []],
  draw: ({ model }, size, choice) => {
    const found = matrix(model);
    if (!found) return { lines: [[span('asking …', 'faint')]], hits: [] };
    const drawn = drawList(
      {
        items: found.rows,
        keyOf: ({ task }) => task,
        lineOf: (row, width) => matrixLine(row, found, width),
        below: (row, width) => pathLines(row, found, width),
        empty: [span('no conflicts in the work of the agents', 'faint')],
      },
      { width: size.width, height: size.height - 1 },
      choice,
    );
    if (found.tasks.length === 0) return drawn;
    const head = cells(
      [[], NAME],
      [[span('target', 'faint')], 6],
      ...inRoom(found, size.width).map((task) => [[words(task, 'faint')], CELL - 1] as const),
    );
    const columns = inRoom(found, size.width).length;
    const cut = columns < found.tasks.length ? `${columns} of ${found.tasks.length} columns` : '';
    const range = [cut, drawn.range ?? ''].filter(Boolean).join('  ');
    return { ...drawn, range, lines: [head, ...drawn.lines], hits: drawn.hits.map((hit) => ({ ...hit, row: hit.row + 1 })) };
  },
};

/** The tasks that have a column: as many as fit. */
const inRoom = ({ tasks }: Matrix, width: number) => tasks.slice(0, Math.max(0, Math.floor((width - NAME - 8) / CELL)));

const HEAT: readonly Tone[] = ['faint', 'plain', 'warn', 'bad'];

function matrixLine(row: MatrixRow, found: Matrix, width: number): Line {
  const one = (paths: readonly string[] | null) => {
    if (paths === null) return span('\\', 'faint');
    return paths.length === 0 ? span('·', 'faint') : span(String(paths.length), HEAT[heat(paths.length, found.most, 3)]!);
  };
  return cells(
    [[words(row.task, 'strong')], NAME],
    [[one(row.withTarget)], 6],
    ...inRoom(found, width).map((_, n) => [[one(row.cells[n] ?? null)], CELL - 1] as const),
  );
}

/** The paths behind the numbers of the chosen row. */
function pathLines(row: MatrixRow, { tasks }: Matrix, width: number): Line[] {
  const target = row.withTarget.length > 0 ? [['target', row.withTarget] as const] : [];
  const pairs = row.cells.flatMap((paths, n) => (paths && paths.length > 0 ? [[tasks[n]!, paths] as const] : []));
  return [...target, ...pairs].map(([with_, paths]) =>
    toWidth([span('  with ', 'faint'), words(with_), span(': ', 'faint'), words(paths.join(', '))], width),
  );
}

import { expect, it } from 'vitest';
import { heat, matrixOf } from '../../../src/tell/face/matrix.ts';

it('is the same read by rows and by columns, with the target beside it, in the order of people', () => {
  const matrix = matrixOf({
    pairs: [
      { a: '10', b: '2', paths: ['a.ts', 'b.ts'] },
      { a: '2', b: '9', paths: ['c.ts'] },
    ],
    with_target: [{ task: '3', paths: ['d.ts'] }],
  });
  expect(matrix.tasks).toEqual(['2', '3', '9', '10']);
  expect(matrix.rows.map((row) => row.cells.map((cell) => cell?.length ?? '-'))).toEqual([
    ['-', 0, 1, 2],
    [0, '-', 0, 0],
    [1, 0, '-', 0],
    [2, 0, 0, '-'],
  ]);
  expect(matrix.rows.map((row) => row.withTarget)).toEqual([[], ['d.ts'], [], []]);
  expect(matrix.rows.map((row) => row.total)).toEqual([3, 1, 1, 2]);
  expect(matrix.most).toBe(2);
});

it('is empty without conflicts', () => {
  expect(matrixOf({ pairs: [], with_target: [] })).toEqual({ tasks: [], rows: [], most: 0 });
});

it.each([
  [0, 5, 0],
  [1, 100, 1],
  [5, 5, 4],
  [3, 5, 3],
  [0, 0, 0],
])('%i of at most %i paths has heat %i of 4', (paths, most, is) => expect(heat(paths, most, 4)).toBe(is));

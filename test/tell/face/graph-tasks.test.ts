import { expect, it } from 'vitest';
import { criticalPath, foldLanded, LANDED } from '../../../src/tell/face/graph-tasks.ts';

const task = (id: string, after: string[] = [], landed = false) => ({ id, after, landed });

it('the longest way goes through tasks that have not landed, and is cut where it would be a circle', () => {
  const board = [task('a', [], true), task('b', ['a']), task('c', ['b']), task('d', ['b', 'c']), task('e', ['a'])];
  expect(criticalPath(board)).toEqual(['b', 'c', 'd']);
  expect(criticalPath([task('a'), task('b', ['gone'])])).toEqual([]);
  expect(criticalPath([task('a', ['b']), task('b', ['a'])])).toHaveLength(2);
  const chain = Array.from({ length: 5000 }, (_, n) => task(`${n}`, n > 0 ? [`${n - 1}`] : []));
  expect(criticalPath(chain)).toHaveLength(5000);
});

it('landed tasks become one, for which those wait that waited for any of them', () => {
  const board = [task('a', [], true), task('b', ['a'], true), task('c', ['a', 'b']), task('d', ['c'])];
  expect(foldLanded(board)).toEqual([
    { id: LANDED, after: [] },
    { id: 'c', after: [LANDED] },
    { id: 'd', after: ['c'] },
  ]);
  expect(foldLanded([task('a', [], true), task('b')])).toEqual([{ id: 'b', after: [] }]);
});

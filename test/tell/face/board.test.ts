import { expect, it } from 'vitest';
import type { ListedTask } from '../../../src/api/contract.ts';
import { columnsOf, prioritiesOf } from '../../../src/tell/face/board.ts';

const task = (id: string, state: ListedTask['state'], priority: string) => ({ id, state, priority }) as ListedTask;

it('the board has a column for each state, with what is urgent first and in the order of the board otherwise', () => {
  const tasks = [task('1', 'ready', 'low'), task('2', 'ready', 'critical'), task('3', 'ready', 'low'), task('4', 'archived', 'high')];
  const columns = columnsOf(tasks).map(({ state, tasks }) => [state, tasks.map(({ id }) => id)]);
  expect(Object.fromEntries(columns)).toEqual({
    waiting: [],
    ready: ['2', '1', '3'],
    leased: [],
    submitted: [],
    blocked: [],
    parked: [],
    landed: [],
  });
});

it('priorities of a board of its own come after the usual ones', () => {
  expect(prioritiesOf([task('1', 'ready', 'someday'), task('2', 'ready', 'high')])).toEqual([
    'critical',
    'high',
    'medium',
    'low',
    'someday',
  ]);
});

import { expect, it } from 'vitest';
import { buildsOnReverted } from '../../../src/queue/slow-checks/builds-on-reverted.ts';
import type { Placed } from '../../../src/work/task/derive.ts';

const task = (id: string, standing: Placed['standing'], ...dependsOn: string[]): Placed => ({
  ref: `default/${id}`,
  id,
  phase: 'default',
  status: 'todo',
  dependsOn,
  blocked: false,
  standing,
  attempt: 1,
  missing: null,
});

it('flags what landed, is queued or is being worked on because of a task that was taken back, however far, once', () => {
  const tasks = [
    task('1', 'landed'),
    task('2', 'landed', '1'),
    task('3', 'open', '1'),
    task('4', 'leased', '3', '2'),
    task('5', 'submitted', '1', 'default/4'),
    task('6', 'landed'),
    // A circle must not go round for ever.
    task('7', 'landed', '4', '8'),
    task('8', 'parked', '7'),
  ];
  expect(buildsOnReverted(tasks, 'default/1').map(({ text }) => text)).toEqual([
    '2 depends on 1, which was taken back, and has landed: check that it still works',
    '5 depends on 1, which was taken back, and is in the queue: it is checked without it',
    '4 depends on 1 (through 2), which was taken back, and is being worked on: what it builds on is gone from the target for now',
    '7 depends on 1 (through 4), which was taken back, and has landed: check that it still works',
  ]);
  expect(buildsOnReverted(tasks, 'default/6')).toEqual([]);
  expect(buildsOnReverted(tasks, 'default/none')).toEqual([]);
});

import { expect, it } from 'vitest';
import { queueTarget, waitsForTarget } from '../../src/queue/target.ts';

const open = (...rows: [task: string, target: string, after?: string[]][]) =>
  rows.map(([task, target, after = []], n) => ({ id: n + 1, task, target, after }));

it.each([
  ['the target in force, when the queue is empty', open(), {}, 'new'],
  ['that of the only entry', open(['a', 'old']), {}, 'old'],
  ['that of the oldest entry', open(['a', 'old'], ['b', 'new'], ['c', 'old']), {}, 'old'],
  ['the next one, when the oldest waits for work that is queued for another target', open(['a', 'old', ['b']], ['b', 'new']), {}, 'new'],
  ['that of the oldest again, when that work has landed', open(['a', 'old', ['b']], ['c', 'new']), { landed: 'b' }, 'old'],
  ['that of the oldest, when all wait for something', open(['a', 'old', ['x']], ['b', 'new', ['y']]), {}, 'old'],
  [
    'the next one, when the oldest waits for a yes',
    [
      { ...open(['a', 'old'])[0]!, awaitsYes: true },
      { ...open(['b', 'new'])[0]!, id: 2 },
    ],
    {},
    'new',
  ],
  ['one that exists', open(['a', 'old'], ['b', 'new']), { gone: 'old' }, 'new'],
  ['that of the oldest, when none exists', open(['a', 'old']), { gone: 'old' }, 'old'],
])('the queue works on %s', (_what, entries, { landed, gone }: { landed?: string; gone?: string }, expected) => {
  const facts = {
    open: entries,
    inForce: 'new',
    hasLanded: (task: string) => task === landed,
    exists: (target: string) => target !== gone,
  };
  expect(queueTarget(facts)).toBe(expected);
});

it('an entry for another target says how many it waits for', () => {
  expect(waitsForTarget(open(['a', 'main'], ['b', 'main'], ['c', 'x']), 'main')).toBe(
    'waits until the 2 entries for main have landed or left the queue',
  );
  expect(waitsForTarget(open(['a', 'main'], ['c', 'x']), 'main')).toBe('waits until the entry for main has landed or left the queue');
});

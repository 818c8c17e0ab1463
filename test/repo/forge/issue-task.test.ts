import { expect, it } from 'vitest';
import { inOrder, taskOf } from '../../../src/repo/forge/issue-task.ts';

const issue = (body: string, number = 9) => ({
  ...{ number, title: 'Round\tprices\u001b[31m', body, url: 'https://github.com/ann/shop/issues/9', author: 'bob' },
  ...{ labels: [], state: 'open' as const },
});

it('is a title of one line, and a text that names who wrote it and where', () => {
  const task = taskOf(issue('To the cent.\u001b]0;x\u0007\n'));
  expect(task.title).toBe('Round prices');
  expect(task.body).toBe('Issue #9 by bob: https://github.com/ann/shop/issues/9\n\nTo the cent.');
  expect(taskOf({ ...issue(''), title: ' ' })).toMatchObject({
    title: 'Issue 9',
    body: 'Issue #9 by bob: https://github.com/ann/shop/issues/9',
  });
  const long = taskOf(issue('two words\n'.repeat(3000)));
  expect(long.body.length).toBeLessThan(21_000);
  expect(long.body).toContain('the issue has 29999 letters');
});

it.each([
  ['Depends on #3.', [3]],
  ['depends on: #3, #4 and #5; see #6', [3, 4, 5]],
  ['Blocked by #3\nDepends-on #4', [3, 4]],
  ['It depends on #9 and #3', [3]],
  ['see #3', []],
  ['`depends on #3`', []],
  ['```\ndepends on #3\n```\nafter #4', [4]],
  ['depends on the weather (#3)', []],
])('waits for the issues that its text names: %j', (text, needs) => {
  expect(taskOf(issue(text)).needs).toEqual(needs);
});

it('comes after the issues that it needs; a circle keeps its order', () => {
  const one = (number: number, ...needs: number[]) => ({ number, needs });
  const order = (...all: { number: number; needs: number[] }[]) => inOrder(all).map(({ number }) => number);
  expect(order(one(1, 3), one(2), one(3, 2, 7))).toEqual([2, 3, 1]);
  expect(order(one(1, 2), one(2, 1), one(3))).toEqual([2, 1, 3]);
});

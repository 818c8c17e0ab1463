import { expect, it } from 'vitest';
import { colouredDiff, colouredStat } from '../../../src/faces/cli/commands/diff.ts';
import { paint } from '../../../src/faces/cli/out.ts';
import { pagerFor } from '../../../src/faces/cli/pager.ts';

const brush = paint(true);

it('colours a patch by its hunks: a removed line that begins with two dashes is a removed line', () => {
  const patch = ['--- a/x', '+++ b/x', '@@ -1,2 +1 @@ top', '--- was SQL', ' same', 'diff --git a/y b/y'].join('\n');
  expect(colouredDiff(patch, brush).split('\n')).toEqual([
    brush.bold('--- a/x'),
    brush.bold('+++ b/x'),
    `${brush.cyan('@@ -1,2 +1 @@')} top`,
    brush.red('--- was SQL'),
    ' same',
    brush.bold('diff --git a/y b/y'),
  ]);
});

it('colours the bars of --stat, and only them', () => {
  const stat = ' a+b.txt | 3 ++-\n 1 file changed';
  expect(colouredStat(stat, brush)).toBe(` a+b.txt | 3 ${brush.green('++')}${brush.red('-')}\n 1 file changed`);
});

it.each([
  [{}, 'less'],
  [{ PAGER: 'more' }, 'more'],
  [{ GIT_PAGER: 'delta', PAGER: 'more' }, 'delta'],
  [{ GIT_PAGER: '', PAGER: 'more' }, undefined],
  [{ PAGER: 'cat' }, undefined],
])('takes the pager that git would take: %o', (env, pager) => expect(pagerFor(env)).toBe(pager));

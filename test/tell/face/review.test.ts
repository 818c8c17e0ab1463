import { describe, expect, it } from 'vitest';
import { parsePatch } from '../../../src/tell/face/patch.ts';
import { type Anchor, anchorAt, placeIn } from '../../../src/tell/face/review-place.ts';
import { reviewText } from '../../../src/tell/face/review-text.ts';

/** A new file with these lines, and with an id. */
const version = (blob: string, ...lines: string[]) =>
  parsePatch(
    [
      'diff --git a/a.ts b/a.ts',
      'new file mode 100644',
      `index 0000000..${blob}`,
      '--- /dev/null',
      '+++ b/a.ts',
      `@@ -0,0 +1,${lines.length} @@`,
      ...lines.map((line) => `+${line}`),
      '',
    ].join('\n'),
  );

const file = (...lines: string[]) => version('2222222', ...lines);
/** A comment on that line of another version. */
const at = (line: number, ...lines: string[]): Anchor => on([line, line], ...lines);
const on = ([first, last]: [number, number], ...lines: string[]): Anchor =>
  anchorAt(version('1111111', ...lines)[0]!, 'new', { first, last });

const CODE = ['function one() {', '  return 1;', '}', 'function two() {', '  return 2;', '}'];

describe('the line of a comment', () => {
  it('is found again where it went to, and stays where it did not move', () => {
    expect(placeIn(file(...CODE), at(2, ...CODE))).toEqual({ at: 'here', line: 2 });
    expect(placeIn(file('// new', '// lines', ...CODE), at(5, ...CODE))).toEqual({ at: 'moved', line: 7 });
  });

  it('is gone when it was changed, when its file is, and when another one is as likely', () => {
    expect(placeIn(file('function one() {', '  return 3;', '}'), at(2, ...CODE))).toEqual({ at: 'gone' });
    expect(placeIn([], at(2, ...CODE))).toEqual({ at: 'gone' });
    const twice = ['  startTheWholeEngine();', '  startTheWholeEngine();'];
    expect(placeIn(file(...twice, ...twice), at(1, twice[0]!))).toEqual({ at: 'gone' });
  });

  it('is never a brace somewhere else', () => {
    expect(placeIn(file('const a = {', '}', 'const b = 2;'), at(3, ...CODE))).toEqual({ at: 'gone' });
    expect(placeIn(file('x', ...CODE), at(3, ...CODE))).toEqual({ at: 'moved', line: 4 });
  });

  it('and of a comment on several are found again together, or are gone', () => {
    expect(on([4, 6], ...CODE)).toMatchObject({ line: 6, quote: 'function two() {\n  return 2;\n}', before: CODE.slice(0, 3), after: [] });
    expect(placeIn(file('// new', ...CODE), on([4, 6], ...CODE))).toEqual({ at: 'moved', line: 7 });
    expect(placeIn(file(...CODE), on([4, 5], ...CODE))).toEqual({ at: 'here', line: 5 });
    expect(placeIn(file(...CODE.toSpliced(4, 0, '  // between')), on([4, 5], ...CODE))).toEqual({ at: 'gone' });
    expect(placeIn(file(...CODE.with(4, '  return 3;')), on([4, 6], ...CODE))).toEqual({ at: 'gone' });
  });

  it('is quoted where the change does not show it, as long as it is in sight', () => {
    const shown = [...CODE, ''].map((text, n) => ({ sign: ' ' as const, text, old: n + 1, new: n + 1 }));
    const [changed] = version('1111111', ...CODE.slice(0, 2));
    expect(anchorAt(changed!, 'new', { first: 5, last: 6 }, shown)).toMatchObject({ line: 6, quote: '  return 2;\n}' });
  });

  it('is the same in the same version, also where the change does not show it', () => {
    const hidden: Anchor = { path: 'a.ts', side: 'new', line: 90, quote: 'x', before: [], after: [], blob: '11111112345' };
    expect(placeIn(version('1111111', ...CODE), hidden)).toEqual({ at: 'here', line: 90 });
    expect(placeIn(file(...CODE), hidden)).toEqual({ at: 'gone' });
    expect(placeIn(version('1111111', '}', '}'), at(2, '}', '}'))).toEqual({ at: 'here', line: 2 });
  });
});

it('a review is one text, in the order of the files, each comment with its line', () => {
  const text = reviewText('Nearly.\nTwo things:', [
    { path: 'b.ts', side: 'old', line: 3, quote: 'gone();', text: 'Why is it out?' },
    { path: 'a.ts', side: 'new', line: 12, quote: '  let x = 1;', text: 'Call it\ncount.' },
    { path: 'a.ts', side: 'new', line: null, quote: '', text: 'Too long.' },
    { path: 'b.ts', side: 'new', line: 9, quote: '{\n}', text: 'Empty.' },
  ]);
  expect(text.split('\n')).toEqual([
    'Nearly. (4 comments)',
    'Two things:',
    '',
    '1. a.ts',
    '   Too long.',
    '2. a.ts:12',
    '   >   let x = 1;',
    '   Call it',
    '   count.',
    '3. b.ts:3, in the version before the change',
    '   > gone();',
    '   Why is it out?',
    '4. b.ts:8-9',
    '   > {',
    '   > }',
    '   Empty.',
  ]);
  expect(reviewText(' Only words ', [])).toBe('Only words');
});

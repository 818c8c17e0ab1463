import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fileLines, gapsOf, showGap } from '../../../src/tell/face/context-lines.ts';
import { parsePatch } from '../../../src/tell/face/patch.ts';
import { gitRepo } from '../../support/repo.ts';

it('the lines around those that changed complete both files, whatever was added and removed', async () => {
  await using repo = await gitRepo({ 'a.txt': 'x\n' });
  const letters = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 60 });
  const cases = fc.sample(fc.tuple(letters, letters), { seed: 7, numRuns: 25 });
  for (const [one, two] of cases) {
    const texts = [one, two].map((lines) => `${lines.map((text, n) => (n % 3 === 0 ? text : `line ${n}`)).join('\n')}\n`);
    await Promise.all(['old.txt', 'new.txt'].map((name, n) => writeFile(join(repo.root, name), texts[n]!)));
    const { stdout } = await repo.tryGit('diff', '--no-index', 'old.txt', 'new.txt');
    const [file] = parsePatch(`${stdout}\n`);
    if (!file) continue;
    const [old = [], now = []] = texts.map(fileLines);
    const gaps = gapsOf(file.hunks).map((gap) => showGap(gap, { top: 2, bottom: 1000 }, now));
    expect(gaps.map(({ hidden }) => hidden)).toEqual(gaps.map(() => 0));
    const lines = gaps.flatMap(({ top, bottom }, at) => [...top, ...bottom, ...(file.hunks[at]?.lines ?? [])]);
    expect(lines.filter((line) => line.new !== null).map((line) => [line.new, line.text])).toEqual(now.map((text, n) => [n + 1, text]));
    expect(lines.filter((line) => line.old !== null).map((line) => [line.old, line.text])).toEqual(old.map((text, n) => [n + 1, text]));
  }
});

it('how many lines are left out is known before the file is, but for the end', () => {
  const patch = [
    'diff --git a/a b/a',
    '--- a/a',
    '+++ b/a',
    '@@ -10,7 +10,7 @@ here',
    ' a',
    ' b',
    ' c',
    '-d',
    '+D',
    ' e',
    ' f',
    ' g',
    '',
  ].join('\n');
  const gaps = gapsOf(parsePatch(patch)[0]!.hunks);
  const none = { top: 0, bottom: 0 };
  expect(gaps.map((gap) => showGap(gap, none, undefined).hidden)).toEqual([9, null]);
  expect(gaps[0]!.where).toBe('here');
});

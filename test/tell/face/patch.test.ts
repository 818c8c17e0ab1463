import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exec } from '../../../src/platform/exec.ts';
import { type Hunk, parsePatch } from '../../../src/tell/face/patch.ts';
import { sideBySide, unified } from '../../../src/tell/face/side-by-side.ts';
import { gitRepo } from '../../support/repo.ts';

describe('a patch of git', () => {
  it('is told file by file: added, deleted, renamed, binary, with odd names, without a line at its end', async () => {
    await using repo = await gitRepo({
      'a.txt': 'one\ntwo\nthree\n',
      'gone.txt': 'x\n',
      'old name.txt': 'a\nb\nc\nd\ne\n',
      'b.bin': '\0\x01',
      'mode.sh': 'x\n',
    });
    await repo.git('rm', '-q', 'gone.txt');
    await repo.git('mv', 'old name.txt', 'new name.txt');
    await repo.git('update-index', '--chmod=+x', 'mode.sh');
    await writeFile(join(repo.root, 'a.txt'), 'one\n2\nthree\nfour');
    await writeFile(join(repo.root, 'b.bin'), '\0\x02');
    await writeFile(join(repo.root, 'ä"\t.txt'), '-- not a header\n++ nor this\n');
    await repo.git('add', 'a.txt', 'b.bin', 'ä"\t.txt');
    const text = await repo.git('-c', 'core.quotePath=true', 'diff', '--cached', '-M', 'HEAD');
    expect(parsePatch(`${text}\n`).map(({ path, from, how, binary, added, removed }) => [path, from, how, binary, added, removed])).toEqual(
      expect.arrayContaining([
        ['a.txt', null, 'changed', false, 2, 1],
        ['b.bin', null, 'changed', true, 0, 0],
        ['gone.txt', null, 'deleted', false, 0, 1],
        ['mode.sh', null, 'changed', false, 0, 0],
        ['new name.txt', 'old name.txt', 'renamed', false, 0, 0],
        ['ä"\t.txt', null, 'added', false, 2, 0],
      ]),
    );
  });

  it('has the numbers of each line in both files', () => {
    const [file] = parsePatch('diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -3,3 +5,2 @@ function y() {\n a\n-b\n-c\n+d\n');
    expect(file!.hunks[0]!.where).toBe('function y() {');
    expect(file!.hunks[0]!.lines.map((line) => [line.sign, line.text, line.old, line.new])).toEqual([
      [' ', 'a', 3, 5],
      ['-', 'b', 4, null],
      ['-', 'c', 5, null],
      ['+', 'd', null, 6],
    ]);
  });

  it('takes lines of a file that look like headers for lines of the file', () => {
    const inner = 'diff --git a/evil b/evil\n@@ -1 +1 @@\n--- a/evil';
    const body = inner
      .split('\n')
      .map((line) => `-${line}`)
      .join('\n');
    const files = parsePatch(`diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,3 +0,0 @@\n${body}\n`);
    expect(files.map(({ path, removed }) => [path, removed])).toEqual([['x', 3]]);
  });

  it('tells the new file exactly, whatever is in the two', async () => {
    const lines = fc.array(fc.constantFrom('a', 'b', '--- a', '+++ b', ' -1 +1 @@', 'diff --git a/x b/x', '\\ No newline', ''), {
      maxLength: 12,
    });
    const folder = await mkdtemp(join(tmpdir(), 'furrow-patch-'));
    const env = { PATH: process.env['PATH'] ?? '' };
    try {
      await fc.assert(
        fc.asyncProperty(lines, lines, async (before, after) => {
          await writeFile(join(folder, 'a'), before.map((line) => `${line}\n`).join(''));
          await writeFile(join(folder, 'b'), after.map((line) => `${line}\n`).join(''));
          const { stdout } = await exec(['git', 'diff', '--no-index', '-U100', 'a', 'b'], { cwd: folder, env, timeoutMs: 10_000 });
          const [file] = parsePatch(stdout);
          if (!file) return void expect(before).toEqual(after);
          const all = file.hunks.flatMap(({ lines: some }) => some);
          const of = (...signs: string[]) => all.filter(({ sign }) => signs.includes(sign)).map(({ text }) => text);
          expect([of(' ', '-'), of(' ', '+')]).toEqual([before, after]);
        }),
        { numRuns: 60 },
      );
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe('the two sides of a hunk', () => {
  const hunk = (...lines: string[]): Hunk => ({
    where: '',
    lines: lines.map((line, n) => ({
      sign: line[0] as ' ',
      text: line.slice(1),
      old: line[0] === '+' ? null : n,
      new: line[0] === '-' ? null : n,
    })),
  });
  const shown = (row: ReturnType<typeof sideBySide>[number]) =>
    [row.left, row.right].map((line) => line?.pieces.map(({ text, changed }) => (changed ? `[${text}]` : text)).join('') ?? null);

  it('stand beside each other, with what differs marked', () => {
    expect(sideBySide(hunk(' same', '-const a = 1;', '-gone', '+const a = 23;', ' end')).map(shown)).toEqual([
      ['same', 'same'],
      ['const a = [1];', 'const a = [23];'],
      ['gone', null],
      ['end', 'end'],
    ]);
  });

  it('marks nothing between lines that have nothing in common', () => {
    expect(sideBySide(hunk('-apples and pears', '+return 7;')).map(shown)).toEqual([['apples and pears', 'return 7;']]);
  });

  it('lose and change no line, one below the other as well', () => {
    const line = fc.tuple(fc.constantFrom(' ', '+', '-'), fc.string({ maxLength: 8 })).map(([sign, text]) => `${sign}${text}`);
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), (lines) => {
        const of = hunk(...lines);
        const text = (pieces: readonly { text: string }[]) => pieces.map((piece) => piece.text).join('');
        expect(unified(of).map((one) => `${one.sign}${text(one.pieces)}`)).toEqual(lines);
        const sides = sideBySide(of);
        expect(sides.flatMap(({ left }) => (left ? [text(left.pieces)] : []))).toEqual(
          lines.filter((one) => one[0] !== '+').map((one) => one.slice(1)),
        );
        expect(sides.flatMap(({ right }) => (right ? [text(right.pieces)] : []))).toEqual(
          lines.filter((one) => one[0] !== '-').map((one) => one.slice(1)),
        );
      }),
    );
  });
});

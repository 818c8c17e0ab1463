import { afterAll, describe, expect, it } from 'vitest';
import { badName, collision, folded } from '../../../src/repo/merge/unlandable.ts';
import { type Content, commitOf, entry, mktree, stackOn } from './entries.ts';
import { lines, TestRepo } from './repo.ts';

type Files = Record<string, Content>;

/** What merging `theirs` into `ours` gives, both made from the same files: a tree's paths, the kinds of conflict, or the reason. */
async function merged(base: Files, ours: Files, theirs: Files) {
  const start = commitOf(repo, [repo.git('rev-parse', 'main')], base);
  const stack = await stackOn(repo, commitOf(repo, [start], ours));
  const result = await stack.merge([entry(1, commitOf(repo, [start], theirs))]);
  if (result.kind === 'clean')
    return { tree: result.tree, paths: repo.git('ls-tree', '-r', '-z', '--name-only', result.tree).split('\0').filter(Boolean) };
  if (result.kind === 'conflict')
    return { conflict: Object.fromEntries(result.report.files.map((file) => [file.path.replace(/~.*/, '~'), file.kind])) };
  return result;
}

const sub = (digit: string) => ({ submodule: digit.repeat(40) });
const pointer = (digit: string, size: number) =>
  `version https://git-lfs.github.com/spec/v1\noid sha256:${digit.repeat(64)}\nsize ${size}\n`;
const gitmodules = '[submodule "lib"]\n\tpath = lib\n\turl = https://example.com/lib.git\n';

const repo = new TestRepo();
afterAll(() => repo[Symbol.dispose]());

describe('what moves on one side', () => {
  it('takes the edits of the other with it: a file, and a folder with files that are new in it', async () => {
    const file = await merged({}, { 'a.txt': null, 'moved.txt': lines('a') }, { 'a.txt': lines('a', { 3: 'edited' }) });
    expect(repo.show(`${'tree' in file ? file.tree : ''}:moved.txt`)).toContain('edited');
    const old = { 'old/1': lines('one'), 'old/2': lines('two') };
    const moved = { 'old/1': null, 'old/2': null, 'new/1': lines('one'), 'new/2': lines('two') };
    expect(await merged(old, moved, { 'old/3': lines('three') })).toMatchObject({ paths: expect.arrayContaining(['new/3']) });
  });
});

describe('a conflict is named for what it is', () => {
  const crlf = lines('a').replaceAll('\n', '\r\n');
  it.each<[string, Files, Files, Files, Record<string, string>]>([
    [
      'a file that both renamed',
      {},
      { 'a.txt': null, one: lines('a') },
      { 'a.txt': null, two: lines('a') },
      { 'a.txt': 'rename/rename', one: 'rename/rename', two: 'rename/rename' },
    ],
    ['a binary file that both changed', { bin: 'a\0b' }, { bin: 'a\0c' }, { bin: 'a\0d' }, { bin: 'binary' }],
    [
      'a submodule that both moved',
      { '.gitmodules': gitmodules, lib: sub('1') },
      { lib: sub('2') },
      { lib: sub('3') },
      { lib: 'submodule' },
    ],
    [
      'a file that one made a link and the other edited',
      {},
      { 'a.txt': { link: 'b.txt' } },
      { 'a.txt': lines('a', { 3: 'x' }) },
      { 'a.txt': 'file/link', 'a.txt~': 'file/link' },
    ],
    [
      'a file that one made a folder and the other edited',
      {},
      { 'a.txt': null, 'a.txt/x': 'x\n' },
      { 'a.txt': lines('a', { 3: 'x' }) },
      { 'a.txt~': 'file/directory' },
    ],
    [
      'line ends changed in a file that the other edited',
      {},
      { 'a.txt': crlf, '.gitattributes': '* text eol=crlf\n' },
      { 'a.txt': lines('a', { 3: 'x' }) },
      { 'a.txt': 'content' },
    ],
    [
      'a large file that both replaced',
      { big: pointer('1', 10) },
      { big: pointer('2', 20) },
      { big: pointer('3', 30) },
      { big: 'content' },
    ],
    // An extension keeps the changed lines apart, so git would put the pointers together without a word.
    [
      'a pointer that git would put together',
      { big: long('1', 10) },
      { big: long('2', 10) },
      { big: long('1', 20) },
      { big: 'large file' },
    ],
  ])('%s', async (_name, base, ours, theirs, kinds) => {
    expect(await merged(base, ours, theirs)).toEqual({ conflict: kinds });
  });

  function long(digit: string, size: number): string {
    return pointer(digit, size).replace('size', `${lines('x-ext')}size`);
  }
});

describe('a clean merge is refused', () => {
  it.each<[string, Files, RegExp]>([
    ['a name that differs only in case', { 'A.TXT': 'x\n' }, /^adds "A\.TXT" beside "a\.txt"/],
    ['a folder that differs only in case', { 'Src/new.ts': 'x\n' }, /^adds "Src" beside "src"/],
    ['a name deep in a folder', { 'src/deep/ONE.ts': 'x\n' }, /^adds "src\/deep\/ONE\.ts" beside "src\/deep\/one\.ts"/],
    ['two new names in a new folder', { 'n/x': '1\n', 'n/X': '2\n' }, /^adds "n\/(x" beside "n\/X|X" beside "n\/x)"/],
    ['a name in another Unicode form', { 'cafe\u0301': 'x\n' }, /^adds "cafe\\u0301" beside "caf\\u00e9"/],
    ['a submodule that .gitmodules does not name', { lib: sub('1') }, /^adds "lib" as a submodule without an entry in \.gitmodules/],
    ['a .gitmodules that is a link', { '.gitmodules': { link: 'a.txt' } }, /^adds "\.gitmodules", which is a symbolic link/],
  ])('for %s', async (_name, theirs, reason) => {
    const base = { 'src/deep/one.ts': '1\n', 'caf\u00e9': '1\n' };
    expect(await merged(base, { 'b.txt': 'ours\n' }, theirs)).toEqual({ kind: 'error', reason: expect.stringMatching(reason) });
  });

  it('for names that git would not check out', async () => {
    const start = repo.git('rev-parse', 'main');
    const stack = await stackOn(repo, repo.commitOn(start, { n: 'ours\n' }));
    const blob = repo.git('rev-parse', 'main:a.txt');
    const inner = mktree(repo, [`100644 blob ${blob}\tconfig`]);
    const rows = repo.git('ls-tree', 'main').split('\n');
    const bad = ['.git', '..', '.GIT ', 'git~1', '.g\u200cit'].map((name) => {
      const tree = mktree(repo, [...rows, `040000 tree ${inner}\t${name}`]);
      return repo.git('commit-tree', tree, '-p', start, '-m', 'bad');
    });
    const results = await Promise.all(bad.map((sha, n) => stack.merge([entry(n, sha)])));
    expect(results.map((result) => result.kind)).toEqual(bad.map(() => 'error'));
    expect(results[0]).toEqual({ kind: 'error', reason: `adds ".git", which is the repository's own folder to git` });
  });

  it('but not for what the target had before, a change of case alone, or a submodule that is declared', async () => {
    const had = { 'x/Read': '1\n', 'x/read': '2\n' };
    expect(await merged(had, { 'b.txt': 'ours\n' }, { 'x/read': '3\n', 'x/other': '4\n' })).toHaveProperty('tree');
    expect(await merged({}, { 'b.txt': 'ours\n' }, { 'a.txt': null, 'A.txt': lines('a') })).toHaveProperty('tree');
    expect(await merged({}, { 'b.txt': 'ours\n' }, { '.gitmodules': gitmodules, lib: sub('1') })).toHaveProperty('tree');
    expect(await merged({}, { 'b.txt': 'ours\n' }, { 'a.txt': { link: 'b.txt' } })).toHaveProperty('tree');
  });
});

describe('names', () => {
  it('fold together where a file system that ignores case or form would', () => {
    for (const [one, two] of [
      ['README', 'readme'],
      ['é', 'e\u0301'],
      ['ſ', 's'],
      ['\u212a', 'k'],
      ['Straße', 'STRASSE'],
      ['a\u200db', 'ab'],
    ] as const)
      expect(folded(one)).toBe(folded(two));
    for (const [one, two] of [
      ['a', 'b'],
      ['e', 'é'],
      ['a.b', 'a_b'],
    ] as const)
      expect(folded(one)).not.toBe(folded(two));
    expect(collision(['b', 'B', 'c'], new Set(['c']))).toBeUndefined();
    expect(collision(['B', 'b'], new Set(['B']))).toEqual(['b', 'B']);
  });

  it('near .git are fine', () => {
    for (const name of ['.gitignore', '.github', 'git', '.git-x', '.gitx', 'git~2', '...']) expect(badName(name, '100644')).toBeUndefined();
    for (const name of ['.git', '.Git', '.git.', '.git::$INDEX_ALLOCATION', '.git\\x', 'GIT~1', '', '.', '..'])
      expect(badName(name, '100644')).toBeDefined();
  });
});

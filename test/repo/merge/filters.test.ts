import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { encodePointer, objectPath } from '../../../src/platform/lfs/pointer.ts';
import { nextEpoch } from '../../../src/repo/merge/epoch.ts';
import { missingContent, publishedPointers } from '../../../src/repo/merge/large-files.ts';
import { publish } from '../../../src/repo/merge/publish.ts';
import { Bench } from './bench.ts';
import { TestRepo } from './repo.ts';

async function published(repo: TestRepo, files: Record<string, string | null>) {
  const old = repo.git('rev-parse', 'main');
  return publish(repo, 'main', { old, new: repo.commitOn(old, files), epoch: await nextEpoch(repo) });
}

const CONTENT = 'large\n';
const OID = '9bfce334a37bd1bc1d36b0370195b31fe9a9389dd43d0873891a3544ef1140a1';
const POINTER = encodePointer({ oid: OID, size: CONTENT.length });

function useLfs(repo: TestRepo): void {
  repo.git('config', 'filter.lfs.process', 'git-lfs filter-process');
}

function store(repo: TestRepo): void {
  const path = objectPath(join(repo.gitDir, 'lfs'), OID);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, CONTENT);
}

describe('publishing with a configured filter', () => {
  it('does not wait when no changed path has the filter, or the filter changes nothing', async () => {
    using repo = new TestRepo();
    repo.git('config', 'filter.big.smudge', 'tr a b');
    repo.git('config', 'filter.notebook.smudge', 'cat');
    repo.write({ 'info/attributes': '*.bin filter=big\n*.txt filter=notebook\n' }, repo.gitDir);
    expect(await published(repo, { 'n.txt': 'landed\n' })).toEqual({ published: true });
    expect(existsSync(join(repo.root, 'n.txt'))).toBe(true);
    expect(repo.git('status', '--porcelain')).toBe('');
  });

  it('waits for a path that the landing itself gives the filter, and names path, filter and command', async () => {
    using repo = new TestRepo();
    repo.git('config', 'filter.big.smudge', `touch '${join(repo.folder, 'ran')}'; cat`);
    const done = await published(repo, { '.gitattributes': '*.bin filter=big\n', 'x.bin': 'x\n', 'y.txt': 'y\n' });
    const reason = new RegExp(`^your filter big must write x\\.bin, .*: git -C ${repo.root} merge --ff-only [0-9a-f]{12}$`);
    expect(done).toMatchObject({ published: false, paths: ['x.bin'], reason: expect.stringMatching(reason) });
    expect(existsSync(join(repo.folder, 'ran'))).toBe(false);
    expect(repo.git('status', '--porcelain')).toBe('');
  });

  it.each([
    ['a file of attributes in its folder', { 'a/b/.gitattributes': '*.bin filter=big\n', 'a/b/x.bin': 'x\n' }],
    ['one in a folder above', { 'a/.gitattributes': '*.bin filter=big\n', 'a/b/x.bin': 'x\n' }],
    [
      'a name for several attributes',
      { '.gitattributes': '[attr]large filter=big\n', 'a/.gitattributes': '*.bin large\n', 'a/x.bin': 'x\n' },
    ],
    ['one in a folder with letters of another language', { 'ä/.gitattributes': '*.bin filter=big\n', 'ä/x.bin': 'x\n' }],
    [
      'one file of many',
      { ...Object.fromEntries(Array.from({ length: 150 }, (_, n) => [`${n}/x.bin`, 'x\n'])), '149/.gitattributes': '*.bin filter=big\n' },
    ],
  ] as [string, Record<string, string>][])('waits for a path that has the filter by %s', async (_, files) => {
    using repo = new TestRepo();
    repo.git('config', 'filter.big.smudge', 'tr a b');
    expect(await published(repo, files)).toMatchObject({ published: false, paths: [expect.stringMatching(/x\.bin$/)] });
  });

  it('waits for a path that has the filter by attributes of this repository alone', async () => {
    using repo = new TestRepo();
    repo.git('config', 'filter.big.smudge', 'tr a b');
    repo.write({ 'info/attributes': '*.bin filter=big\n' }, repo.gitDir);
    expect(await published(repo, { 'x.bin': 'x\n' })).toMatchObject({ published: false, paths: ['x.bin'] });
  });

  it('writes the content of a large file that the landing adds together with its attributes', async () => {
    using repo = new TestRepo();
    useLfs(repo);
    store(repo);
    const old = repo.git('rev-parse', 'main');
    expect(await published(repo, { '.gitattributes': '*.bin filter=lfs\n', 'x.bin': POINTER })).toEqual({ published: true });
    expect(readFileSync(join(repo.root, 'x.bin'), 'utf8')).toBe(CONTENT);
    expect(await publishedPointers(repo, old, repo.git('rev-parse', 'main'))).toEqual([]);
    expect(await published(repo, { 'x.bin': null })).toEqual({ published: true });
    expect(existsSync(join(repo.root, 'x.bin'))).toBe(false);
  });

  it('writes the pointer of a large file whose content is not here, and names it', async () => {
    using repo = new TestRepo();
    useLfs(repo);
    const old = repo.git('rev-parse', 'main');
    expect(await published(repo, { '.gitattributes': '*.bin filter=lfs\n', 'x.bin': POINTER })).toEqual({ published: true });
    expect(readFileSync(join(repo.root, 'x.bin'), 'utf8')).toBe(POINTER);
    expect(await publishedPointers(repo, old, repo.git('rev-parse', 'main'))).toEqual(['x.bin']);
  });

  it('names the large files of the checkout until their content is here', async () => {
    using repo = new TestRepo();
    useLfs(repo);
    await published(repo, { '.gitattributes': '*.bin filter=lfs\n', 'x.bin': POINTER, 'x.txt': POINTER });
    expect(await missingContent(repo)).toEqual(['x.bin']);
    store(repo);
    expect(await missingContent(repo)).toEqual([]);
  });

  it('waits for a large file that the user has changed', async () => {
    using repo = new TestRepo();
    useLfs(repo);
    store(repo);
    await published(repo, { '.gitattributes': '*.bin filter=lfs\n', 'x.bin': POINTER });
    repo.write({ 'x.bin': 'mine\n' });
    expect(await published(repo, { 'x.bin': null })).toMatchObject({ published: false, paths: ['x.bin'] });
    expect(readFileSync(join(repo.root, 'x.bin'), 'utf8')).toBe('mine\n');
  });
});

it('a check sees the content of a large file as soon as it is here; until then its log names the pointer', async () => {
  using bench = new Bench();
  useLfs(bench.repo);
  const commit = bench.repo.commitOn(bench.commit, { '.gitattributes': '*.bin filter=lfs\n', 'x.bin': POINTER });
  expect(await bench.run('grep -q oid x.bin', { commit })).toMatchObject({ outcome: 'pass' });
  expect(bench.output()).toBe('[furrow: only pointers, their content is not in .git/lfs: x.bin; get it with: git lfs fetch]\n');
  store(bench.repo);
  expect(await bench.run('grep -qx large x.bin', { commit })).toMatchObject({ outcome: 'pass' });
  expect(await bench.run('grep -qx large x.bin && echo more >> x.bin', { commit })).toMatchObject({ outcome: 'fail' });
  expect(await bench.run('touch x.bin; grep -qx large x.bin', { commit })).toMatchObject({ outcome: 'pass' });
});

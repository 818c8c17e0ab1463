import { describe, expect, it } from 'vitest';
import { hunksOf } from '../../src/merge/conflict.ts';
import { landingCommit } from '../../src/merge/land.ts';
import { predict } from '../../src/merge/stack.ts';
import { lines, TestRepo } from './repo.ts';

const ada = { name: 'Ada', email: 'ada@example.com' };
const merge = (repo: TestRepo, head: string, sha: string) =>
  predict(repo, { head, sha, task: 'p1/7', attempt: 2, target: 'main', intent: 'say five' });
const conflict = async (repo: TestRepo, head: string, sha: string) => {
  const result = await merge(repo, head, sha);
  if (result.kind !== 'conflict') throw new Error(`it is ${result.kind}`);
  return result.report;
};

describe.each(['sha1', 'sha256'] as const)('merging in a %s repository', (format) => {
  it('gives the tree that git merge gives', async () => {
    using repo = new TestRepo(format);
    const start = repo.git('rev-parse', 'HEAD');
    const sha = repo.commitOn(start, { 'a.txt': lines('a', { 2: 'theirs' }), 'new.txt': 'new\n' });
    const head = repo.commitOn(start, { 'a.txt': lines('a', { 17: 'ours' }) });
    repo.git('checkout', '-q', '--detach', head);
    repo.git('merge', '-q', '-m', 'm', sha);
    expect(await merge(repo, head, sha)).toEqual({ kind: 'clean', tree: repo.git('rev-parse', 'HEAD^{tree}') });
  });

  it('says what the head has already, as an ancestor or as the same content', async () => {
    using repo = new TestRepo(format);
    const start = repo.git('rev-parse', 'HEAD');
    const sha = repo.commitOn(start, { 'a.txt': 'same\n' });
    expect(await merge(repo, repo.commitOn(sha, { x: 'x' }), sha)).toEqual({ kind: 'contained' });
    expect(await merge(repo, repo.commitOn(start, { 'a.txt': 'same\n' }, 'squashed'), sha)).toEqual({ kind: 'contained' });
  });

  it('reports a conflict with its stages, its lines, and whose landing it meets', async () => {
    using repo = new TestRepo(format);
    const start = repo.git('rev-parse', 'HEAD');
    const other = repo.commitOn(start, { 'a.txt': lines('a', { 4: 'FIVE' }), '*.txt': 'star\n' });
    const landed = { task: 'p1/3', attempt: 1, agent: 'quiet-fox', title: 'shout five' };
    const tree = repo.git('rev-parse', `${other}^{tree}`);
    const head = await landingCommit(repo, {
      head: start,
      sha: other,
      tree,
      entries: [landed],
      checks: ['unit'],
      at: 1_700_000_100_000,
      committer: ada,
      history: 'merge',
    });
    const sha = repo.commitOn(start, { 'a.txt': lines('a', { 4: 'five', 5: 'six' }), 'b.txt': null, 'c.txt': lines('c', { 1: 'mine' }) });
    const report = await conflict(repo, head, sha);

    expect(report).toMatchObject({
      version: 1,
      task: 'p1/7',
      attempt: 2,
      base: start,
      ours: head,
      theirs: sha,
      ref: 'refs/furrow/conflict/p1/7',
      omitted: 0,
    });
    expect(report.files.map((file) => [file.path, file.kind])).toEqual([['a.txt', 'content']]);
    const [file] = report.files;
    expect(file!.stages['1']).toEqual({ mode: '100644', oid: repo.git('rev-parse', `${start}:a.txt`) });
    expect(file!.stages['3']).toEqual({ mode: '100644', oid: repo.git('rev-parse', `${sha}:a.txt`) });
    expect(file!.oursTasks).toEqual([{ task: 'p1/3', commit: head, intent: 'land 3: shout five' }]);
    expect(file!.theirsTasks).toEqual([{ task: 'p1/7', intent: 'say five' }]);

    const marked = repo.show(`${report.ref}:a.txt`).split('\n');
    const [hunk] = file!.hunks;
    expect(marked[hunk!.ours[0] - 1]).toBe('FIVE');
    expect(marked.slice(hunk!.theirs[0] - 1, hunk!.theirs[0] - 1 + hunk!.theirs[1])).toEqual(['five', 'six']);
    expect(hunk!.text).toContain('FIVE\na 5\n=======\nfive\nsix\n>>>>>>>');
    expect(repo.git('rev-parse', `${report.ref}^1`, `${report.ref}^2`)).toBe(`${head}\n${sha}`);
    expect(await conflict(repo, head, sha)).toEqual(report);
  });
});

describe('merging', () => {
  it('tells the kinds of conflict apart', async () => {
    using repo = new TestRepo();
    const start = repo.commitOn(repo.git('rev-parse', 'HEAD'), { bin: 'a\0b', ':(odd) [x]/*': 'glob\n' });
    const head = repo.commitOn(start, { 'a.txt': lines('a', { 1: 'kept' }), n: 'ours\n', bin: 'a\0c', ':(odd) [x]/*': 'ours\n' });
    const sha = repo.commitOn(start, { 'a.txt': null, n: 'theirs\n', bin: 'a\0d', ':(odd) [x]/*': 'theirs\n' });
    const { files } = await conflict(repo, head, sha);
    expect(Object.fromEntries(files.map((file) => [file.path, file.kind]))).toEqual({
      'a.txt': 'modify/delete',
      n: 'add/add',
      bin: 'binary',
      ':(odd) [x]/*': 'content',
    });
    expect(files.find((file) => file.path === 'a.txt')?.stages['3']).toBeNull();
    expect(files.find((file) => file.path === 'bin')?.hunks).toEqual([]);
  });

  it('calls unrelated histories and unknown commits errors, with the reason', async () => {
    using repo = new TestRepo();
    const head = repo.git('rev-parse', 'HEAD');
    const orphan = repo.git('commit-tree', 'HEAD^{tree}', '-m', 'root');
    expect(await merge(repo, head, orphan)).toEqual({ kind: 'error', reason: 'shares no history with main' });
    expect(await merge(repo, head, '1'.repeat(40))).toMatchObject({ kind: 'error', reason: expect.stringContaining('cannot be merged') });
  });

  it('keeps a report small however large the conflict is', async () => {
    using repo = new TestRepo();
    const start = repo.git('rev-parse', 'HEAD');
    const huge = (word: string) => Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`f${at}`, `${word} – ${at}\n`.repeat(1000)]));
    const { files } = await conflict(repo, repo.commitOn(start, huge('ours')), repo.commitOn(start, huge('theirs')));
    const sizes = files.flatMap((file) => file.hunks.map((hunk) => Buffer.byteLength(hunk.text)));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(4096);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(65_536);
    expect(files).toHaveLength(30);
  });

  it('reads the regions of a file with a base part too', () => {
    const text = 'x\n<<<<<<< o\no1\n||||||| b\nb1\nb2\n=======\nt1\n>>>>>>> t\ny\n';
    expect(hunksOf(text, 1000)).toMatchObject([{ ours: [3, 1], theirs: [8, 1] }]);
    const two = hunksOf(text.replace('o1', 'é'.repeat(60)).repeat(2), 200).map((hunk) => hunk.text);
    expect(Buffer.byteLength(two.join(''))).toBeLessThanOrEqual(200);
    expect(two[1]).toMatch(/^<<<<<<< o\né*\n\[cut\]$/);
    expect(hunksOf('<<<<<<< never closed\n', 1000)).toEqual([]);
  });
});

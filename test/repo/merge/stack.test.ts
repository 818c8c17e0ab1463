import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { logExec } from '../../../src/platform/exec.ts';
import { hunksOf, type StackResult } from '../../../src/repo/merge/conflict.ts';
import { mergeTrees } from '../../../src/repo/merge/merge-tree.ts';
import { commitOf, entry, stackOn, treeFrom } from './entries.ts';
import { lines, TestRepo } from './repo.ts';

const merge = async (repo: TestRepo, head: string, sha: string) =>
  (await stackOn(repo, head)).merge([entry(7, sha, { task: 'p1/7', attempt: 2, title: 'say five' })]);
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
    const before = await stackOn(repo, start);
    const landed = await before.build([entry(3, other, { task: 'p1/3', title: 'shout five', keep: true })], ['unit']);
    const head = landed.commit;
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
    expect(file!.oursTasks).toEqual([{ task: 'p1/3', commit: head, intent: 'shout five' }]);
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

/** Runs with a note of every git that was started, by its subcommand. */
async function gits(act: () => Promise<unknown>): Promise<string[]> {
  const started: string[] = [];
  logExec(({ argv }) => started.push(argv.find((word) => /^[a-z]+-[a-z]+$/.test(word)) ?? ''));
  await act().finally(() => logExec(() => {}));
  return started;
}

describe('many merges', () => {
  const many = (repo: TestRepo) => {
    const start = repo.git('rev-parse', 'HEAD');
    const head = repo.commitOn(start, { 'a.txt': lines('a', { 3: 'ours' }), '.gitmodules': '[submodule "s"]\n\tpath = s\n' });
    const sub = (digit: string) =>
      commitOf(repo, [start], { '.gitmodules': '[submodule "s"]\n\tpath = s\n', s: { submodule: digit.repeat(40) } });
    const clean = [1, 2, 3].map((n) => repo.commitOn(start, { [`new ${n}`]: 'x\n', 'a.txt': lines('a', { [n + 10]: 'theirs' }) }));
    const others = [repo.commitOn(start, { 'a.txt': lines('a', { 3: 'theirs' }) }), start, sub('1')];
    return { head, shas: [...clean, ...others] };
  };

  it('onto one state are made by one git, and are each what a git of its own gives', async () => {
    using repo = new TestRepo();
    const { head, shas } = many(repo);
    const alone: StackResult[] = [];
    for (const [n, sha] of shas.entries()) alone.push(await (await stackOn(repo, head)).merge([entry(n, sha)]));
    const stack = await stackOn(repo, head);
    const chains = shas.map((sha, n) => [entry(n, sha)]);
    const started = await gits(async () => expect(await Promise.all(chains.map((chain) => stack.merge(chain)))).toEqual(alone));
    expect(started.filter((name) => name === 'merge-tree')).toHaveLength(1);
    expect(alone.map(({ kind }) => kind)).toEqual(['clean', 'clean', 'clean', 'conflict', 'contained', 'clean']);
    expect(await gits(() => Promise.all(chains.map((chain) => stack.merge(chain))))).toEqual([]);
    expect([...stack.results().keys()].sort()).toEqual(['0', '1', '2', '3', '4', '5']);
  });

  it('are answered also beside a commit that is gone, one of another history, and two submodules', async () => {
    using repo = new TestRepo();
    const { head, shas } = many(repo);
    const orphan = repo.git('commit-tree', 'HEAD^{tree}', '-m', 'root');
    const moved = commitOf(repo, [shas[5]!], { s: { submodule: '2'.repeat(40) } });
    const stack = await stackOn(repo, moved);
    const onSub = commitOf(repo, [shas[5]!], { s: { submodule: '3'.repeat(40) } });
    const ask = (list: string[]) => Promise.all(list.map((sha, n) => stack.merge([entry(n + 10 * list.length, sha)])));
    expect((await ask([onSub, shas[0]!])).map(({ kind }) => kind)).toEqual(['conflict', 'clean']);
    const results = await ask(['1'.repeat(40), shas[0]!, orphan]);
    expect(results.map((result) => (result.kind === 'error' ? result.reason.slice(0, 17) : result.kind))).toEqual([
      'cannot be merged:',
      'clean',
      'shares no history',
    ]);
    expect((await stackOn(repo, head)).head).toBe(head);
  });

  it('do not wait for one that git fails on, which is asked again and not taken for an answer', async () => {
    using repo = new TestRepo();
    const { head, shas } = many(repo);
    const raw = repo.git('cat-file', 'commit', shas[1]!).replace(/^tree .*/, `tree ${'9'.repeat(40)}`);
    repo.write({ 'raw.ignored': `${raw}\n` });
    const broken = repo.git('hash-object', '-t', 'commit', '-w', '--literally', 'raw.ignored');
    const stack = await stackOn(repo, head);
    const results = await Promise.allSettled([broken, shas[0]!, shas[3]!].map((sha, n) => stack.merge([entry(n, sha)])));
    expect(results.map((one) => (one.status === 'fulfilled' ? one.value.kind : one.reason.code))).toEqual([
      'GIT_FAILED',
      'clean',
      'conflict',
    ]);
    expect([...stack.results().keys()]).toEqual(['1', '2']);
  });

  it('need no batches: a git that knows none is asked one by one', async () => {
    using repo = new TestRepo();
    const { head, shas } = many(repo);
    const path = process.env['PATH'];
    const script = `#!/bin/sh\ncase "$*" in *merge-tree*--stdin*) exit 129;; esac\nPATH='${path}' exec git "$@"\n`;
    repo.write({ 'bin/git': script }, repo.folder);
    chmodSync(join(repo.folder, 'bin/git'), 0o755);
    vi.stubEnv('PATH', `${join(repo.folder, 'bin')}:${path}`);
    try {
      const found = await mergeTrees(repo, { ours: head, target: 'main' }, shas);
      expect(found.map((one) => one.kind === 'merged' && one.output.clean)).toEqual([true, true, true, false, true, true]);
      await mergeTrees(repo, { ours: head, target: 'main' }, shas);
    } finally {
      vi.unstubAllEnvs();
    }
  });
});

describe('a chain', () => {
  it('is stacked entry by entry, whoever asks first, and cannot go on from one that conflicts', async () => {
    using repo = new TestRepo();
    const start = repo.git('rev-parse', 'HEAD');
    const one = entry(1, repo.commitOn(start, { 'a.txt': lines('a', { 2: 'one' }) }));
    const two = entry(2, repo.commitOn(start, { 'b.txt': lines('b', { 2: 'two' }) }));
    const clash = entry(3, repo.commitOn(start, { 'a.txt': lines('a', { 2: 'three' }) }));
    const stack = await stackOn(repo, start);
    const tree = await treeFrom(stack, [one, two]);
    expect(repo.git('diff', '--name-only', start, tree)).toBe('a.txt\nb.txt');
    const deep = await stack.merge([one, two, clash]);
    // Nobody is told about it, so that it costs no more than the merge.
    expect(deep).toMatchObject({ kind: 'conflict', report: { ref: '', files: [{ path: 'a.txt', hunks: [] }] } });
    expect(repo.git('for-each-ref', 'refs/furrow')).toBe('');
    await expect(stack.merge([one, clash, two])).rejects.toThrow('1,3 is not a state of the stack');
    stack.retain(new Set([1]));
    expect([...stack.results().keys()]).toEqual(['1']);
  });

  it('that has lost its objects is made anew at the next try', async () => {
    using repo = new TestRepo();
    const start = repo.git('rev-parse', 'HEAD');
    const chain = [1, 2, 3].map((n) => entry(n, repo.commitOn(start, { [`n${n}`]: 'x\n' })));
    for (const { id, sha } of chain) repo.git('update-ref', `refs/furrow/pin/${id}`, sha);
    const stack = await stackOn(repo, start);
    await treeFrom(stack, chain.slice(0, 2));
    await stack.merge([...chain.slice(0, 2), entry(9, start)]);
    repo.git('gc', '--quiet', '--prune=now');
    // git calls what has lost its parents a history of its own; that must not be taken for an answer about the work.
    await expect(stack.merge(chain)).rejects.toThrow('made again');
    expect(repo.git('diff', '--name-only', start, await treeFrom(stack, chain))).toBe('n1\nn2\nn3');
  });

  it('neither checks nor lands what a clean-up has taken a part of, and makes it anew', async () => {
    using repo = new TestRepo();
    const start = repo.git('rev-parse', 'HEAD');
    const work = entry(1, repo.commitOn(start, { 'a.txt': lines('a', { 2: 'theirs' }), 'deep/er/n1': 'x\n' }));
    repo.git('update-ref', 'refs/furrow/pin/1', work.sha);
    const head = repo.commitOn(start, { 'a.txt': lines('a', { 17: 'ours' }) });
    repo.git('update-ref', 'refs/heads/main', head);
    const stack = await stackOn(repo, head);
    const { commit } = await stack.build([work], ['unit']);
    repo.git('gc', '--quiet', '--prune=now');
    await expect(stack.build([work], ['unit'])).rejects.toThrow('made again');
    expect(await stack.build([work], ['unit'])).toMatchObject({ commit });
    repo.git('update-ref', 'refs/furrow/head/main', commit);
    expect(repo.git('fsck', '--no-dangling')).toBe('');
  });
});

import { describe, expect, it } from 'vitest';
import type { StackResult } from '../../../src/repo/merge/conflict.ts';
import { mend } from '../../../src/repo/merge/mend/mend.ts';
import type { Mended } from '../../../src/repo/merge/mend/rules.ts';
import type { Mender } from '../../../src/repo/merge/open-conflict.ts';
import { commitOf, entry, mktree, stackOn, treeFrom } from './entries.ts';
import { lines, TestRepo } from './repo.ts';

const NOTHING: Mended = { kind: 'none', reason: 'no rule' };
const log = (...names: string[]) => `# Changes\n\n${names.map((name) => `- ${name}\n`).join('')}`;

/** What the daemon passes, with one rule. */
const union =
  (repo: TestRepo): Mender =>
  ({ place, theirs, output: merged }) =>
    mend(
      repo,
      {
        ours: place.ours,
        theirs,
        merged,
        rules: { union: ['CHANGELOG.md'], rerere: false, regenerate: [] },
        scratch: { path: '', marker: '', jail: [], env: {}, log: '' },
      },
      new AbortController().signal,
    );

/** A start, and commits on it that each change the same line of `a.txt`. */
function sides(repo: TestRepo, ...names: string[]) {
  const start = repo.git('rev-parse', 'HEAD');
  return { start, shas: names.map((name) => repo.commitOn(start, { 'a.txt': lines('a', { 3: name }) })) };
}

describe('a conflict', () => {
  it.each(['merge', 'linear'] as const)('anywhere in a chain is mended, and the chain goes on from there (%s history)', async (history) => {
    using repo = new TestRepo();
    const start = repo.commitOn(repo.git('rev-parse', 'HEAD'), { 'CHANGELOG.md': log('old') });
    const chain = ['one', 'two', 'three'].map((name, n) =>
      entry(n + 1, repo.commitOn(start, { 'CHANGELOG.md': log('old', name), [`${name}.txt`]: name })),
    );
    const stack = await stackOn(repo, start, { mend: union(repo), history });
    const results: StackResult[] = [];
    for (const n of chain.keys()) results.push(await stack.merge(chain.slice(0, n + 1)));
    const how = [{ path: 'CHANGELOG.md', how: 'union' }];
    expect(results).toMatchObject([{ kind: 'clean' }, { kind: 'clean', mended: how }, { kind: 'clean', mended: how }]);
    expect(results[0]).not.toHaveProperty('mended');
    const built = await stack.build(chain, ['unit']);
    expect(repo.show(`${built.commit}:CHANGELOG.md`)).toBe(log('old', 'one', 'two', 'three').trimEnd());
    expect(repo.git('for-each-ref', 'refs/furrow/conflict')).toBe('');
    // What landed is known as landed: merging it once more changes nothing.
    const next = stack.advance(built.commit)!;
    expect(await next.merge([entry(9, chain[1]!.sha)])).toEqual({ kind: 'contained' });
  });

  it('that nobody can mend is told as ever, and is asked about once', async () => {
    using repo = new TestRepo();
    const { start, shas } = sides(repo, 'one', 'two');
    let asked = 0;
    const stack = await stackOn(repo, start, {
      mend: async () => {
        asked++;
        return NOTHING;
      },
    });
    const [a, b] = shas.map((sha, n) => entry(n + 1, sha));
    for (let twice = 0; twice < 2; twice++) {
      expect(await stack.merge([a!, b!])).toMatchObject({ kind: 'conflict', report: { files: [{ path: 'a.txt' }] } });
    }
    expect(asked).toBe(1);
  });

  it('that is being mended keeps no other merge waiting', async () => {
    using repo = new TestRepo();
    const { start, shas } = sides(repo, 'one', 'two', 'three', 'four');
    const other = entry(9, repo.commitOn(start, { 'new.txt': 'new\n' }));
    const [head, ...slow] = shas;
    const answer = Promise.withResolvers<Mended>();
    const stack = await stackOn(repo, head!, { mend: () => answer.promise });
    const waiting = slow.map((sha, n) => stack.merge([entry(n + 1, sha)]));
    expect(await stack.merge([other])).toMatchObject({ kind: 'clean' });
    expect(await stack.merge([other, entry(10, start)])).toEqual({ kind: 'contained' });
    answer.resolve(NOTHING);
    expect((await Promise.all(waiting)).map(({ kind }) => kind)).toEqual(['conflict', 'conflict', 'conflict']);
  });

  it('whose mending meets trouble has no answer yet, and is tried again', async () => {
    using repo = new TestRepo();
    const { shas } = sides(repo, 'one', 'two');
    const tree = repo.git('rev-parse', `${repo.commitOn(shas[0]!, { 'a.txt': lines('a', { 3: 'both' }) })}^{tree}`);
    const troubles = [new Error('no memory')];
    const stack = await stackOn(repo, shas[0]!, {
      mend: async () => {
        const trouble = troubles.pop();
        if (trouble) throw trouble;
        return { kind: 'candidate', tree, by: [] };
      },
    });
    await expect(stack.merge([entry(1, shas[1]!)])).rejects.toThrow('no memory');
    expect(await treeFrom(stack, [entry(1, shas[1]!)])).toBe(tree);
  });
});

describe('what mending made', () => {
  const made = async (repo: TestRepo, tree: string, ours: string, theirs: string) =>
    (await stackOn(repo, ours, { mend: async () => ({ kind: 'candidate', tree, by: [] }) })).merge([entry(1, theirs)]);

  it('is refused for the names that any merge is refused for', async () => {
    using repo = new TestRepo();
    const [ours, theirs] = sides(repo, 'one', 'two').shas;
    const bad = mktree(repo, [repo.git('ls-tree', ours!, 'b.txt'), `100644 blob ${repo.git('rev-parse', `${ours}:a.txt`)}\tB.TXT`]);
    expect(await made(repo, bad, ours!, theirs!)).toMatchObject({ kind: 'error', reason: expect.stringContaining('B.TXT') });
  });

  it('is a conflict all the same where a side was taken, or a pointer to a large file put together', async () => {
    using repo = new TestRepo();
    const [ours, theirs] = sides(repo, 'one', 'two').shas;
    expect(await made(repo, repo.git('rev-parse', `${ours}^{tree}`), ours!, theirs!)).toMatchObject({ kind: 'conflict' });
    const pointer = (oid: string, size: number) =>
      `version https://git-lfs.github.com/spec/v1\noid sha256:${oid.repeat(64)}\nsize ${size}\n`;
    const start = repo.git('rev-parse', 'HEAD');
    const [one, two] = [commitOf(repo, [start], { 'a.txt': pointer('1', 1) }), commitOf(repo, [start], { 'a.txt': pointer('2', 2) })];
    const mixed = repo.git('rev-parse', `${commitOf(repo, [one], { 'a.txt': pointer('1', 2) })}^{tree}`);
    expect(await made(repo, mixed, one, two)).toMatchObject({ kind: 'conflict' });
  });
});

import { describe, expect, it } from 'vitest';
import type { StackEntry } from '../../../src/repo/merge/judge.ts';
import type { Stack } from '../../../src/repo/merge/stack.ts';
import { entry, stackOn, treeFrom } from './entries.ts';
import { lines, TestRepo } from './repo.ts';

/** Lands a chain and answers the landing; the checkout of `main` follows. */
async function land(repo: TestRepo, stack: Stack, chain: readonly StackEntry[]): Promise<string> {
  const { commit } = await stack.build(chain, ['unit']);
  repo.git('update-ref', 'refs/furrow/head/main', commit);
  await stack.advance(commit)!.remember();
  repo.git('reset', '-q', '--hard', commit);
  return commit;
}

/** A revert by a person at their terminal. */
function revert(repo: TestRepo, commit: string, keep: boolean): string {
  repo.git('revert', '--no-edit', ...(keep ? ['-m', '1'] : []), commit);
  return repo.git('rev-parse', 'HEAD');
}

const FILES = { 'a.txt': lines('a', { 5: 'by A' }), 'new.txt': 'new\n' };

describe.each([
  ['squashed', false],
  ['kept', true],
] as const)('work that landed (%s) and was reverted', (_, keep) => {
  async function landed(repo: TestRepo) {
    const start = repo.git('rev-parse', 'HEAD');
    const work = repo.commitOn(start, FILES, 'A does it');
    const landing = await land(repo, await stackOn(repo, start), [entry(1, work, { keep })]);
    return { start, work, landing };
  }

  it('lands again when the same branch is submitted again, with its author and message', async () => {
    using repo = new TestRepo();
    const { work, landing } = await landed(repo);
    const reverted = revert(repo, landing, keep);
    const stack = await stackOn(repo, reverted);
    const again = entry(2, work, { keep });
    expect(await treeFrom(stack, [again])).toBe(repo.git('rev-parse', `${work}^{tree}`));
    const second = await land(repo, stack, [again]);
    expect(repo.git('show', '-s', '--format=%an %s', second)).toBe(keep ? 'Ada task 2' : 'Ada A does it');
    expect(repo.show(`${second}:new.txt`)).toBe('new');
    // Now it is there, and after one more revert it is not.
    expect(await (await stackOn(repo, second)).merge([entry(3, work, { keep })])).toEqual({ kind: 'contained' });
    const third = await stackOn(repo, revert(repo, second, keep));
    expect((await third.merge([entry(4, work, { keep })])).kind).toBe('clean');
  });

  it('lands what is missing of it when a part was put back, and is merged onto others that are ahead of it', async () => {
    using repo = new TestRepo();
    const { start, work, landing } = await landed(repo);
    const part = repo.commitOn(landing, { 'new.txt': null, 'b.txt': 'mine\n' }, 'no new.txt');
    const stack = await stackOn(repo, part);
    const other = entry(2, repo.commitOn(start, { 'c.txt': 'c\n' }));
    const tree = await treeFrom(stack, [other, entry(3, work, { keep })]);
    expect(['a.txt', 'b.txt', 'c.txt', 'new.txt'].map((path) => repo.show(`${tree}:${path}`).split('\n').includes('by A'))).toEqual([
      true,
      false,
      false,
      false,
    ]);
    expect(repo.show(`${tree}:new.txt`)).toBe('new');
    expect(repo.show(`${tree}:c.txt`)).toBe('c');
  });

  it('lands with the commits that were added to the branch since', async () => {
    using repo = new TestRepo();
    const { work, landing } = await landed(repo);
    const reverted = revert(repo, landing, keep);
    const more = repo.commitOn(work, { 'a.txt': lines('a', { 5: 'by A, mended' }) });
    const tree = await treeFrom(await stackOn(repo, reverted), [entry(2, more, { keep, landedBefore: [work] })]);
    expect(tree).toBe(repo.git('rev-parse', `${more}^{tree}`));
  });

  it('is refused with what to do when others have changed the same lines since it was taken back', async () => {
    using repo = new TestRepo();
    const { work, landing } = await landed(repo);
    const reverted = revert(repo, landing, keep);
    const theirs = repo.commitOn(reverted, { 'a.txt': lines('a', { 5: 'by another' }) });
    const result = await (await stackOn(repo, theirs)).merge([entry(2, work, { keep })]);
    expect(result).toMatchObject({ kind: 'error', reason: expect.stringMatching(/was taken back.*a\.txt.*git rebase --onto main/) });
  });
});

it('work whose landing a crash kept from being remembered until the person had reverted it lands again', async () => {
  using repo = new TestRepo();
  const start = repo.git('rev-parse', 'HEAD');
  const [work, other] = [repo.commitOn(start, FILES, 'A does it'), repo.commitOn(start, { 'other.txt': 'other\n' }, 'B does it')];
  const first = await (await stackOn(repo, start)).build([entry(1, work)], ['unit']);
  const second = await (await stackOn(repo, first.commit)).build([entry(2, other)], ['unit']);
  repo.git('update-ref', 'refs/furrow/head/main', second.commit);
  repo.git('reset', '-q', '--hard', second.commit);
  const reverted = revert(repo, first.commit, false);
  const after = await stackOn(repo, reverted, { landed: [work, other] });
  await after.remember();
  expect(repo.show(`${await treeFrom(after, [entry(3, work)])}:new.txt`)).toBe('new');
  expect(await after.merge([entry(4, other)])).toEqual({ kind: 'contained' });
});

describe('a branch that a person fast-forwarded the target to, and reverted', () => {
  function merged(repo: TestRepo) {
    repo.git('branch', 'feature', repo.commitOn(repo.commitOn('HEAD', FILES, 'first'), { 'more.txt': 'more\n' }, 'second'));
    repo.git('merge', '-q', '--ff-only', 'feature');
    repo.git('revert', '--no-edit', 'HEAD~2..HEAD');
    return { work: repo.git('rev-parse', 'feature'), head: repo.git('rev-parse', 'HEAD') };
  }
  const paths = (repo: TestRepo, tree: string) => repo.git('ls-tree', '--name-only', tree).split('\n');

  it('lands again, all of it, when they submit it; and is there after that', async () => {
    using repo = new TestRepo();
    const { work, head } = merged(repo);
    const stack = await stackOn(repo, head);
    const mine = entry(1, work, { by: 'person' });
    expect(paths(repo, await treeFrom(stack, [mine]))).toEqual(expect.arrayContaining(['more.txt', 'new.txt']));
    const landing = await land(repo, stack, [mine]);
    expect(await (await stackOn(repo, landing)).merge([entry(2, work, { by: 'person' })])).toEqual({ kind: 'contained' });
  });

  it('is no work of an agent, of a branch that was made there later, or of one that went on', async () => {
    using repo = new TestRepo();
    const { work, head } = merged(repo);
    expect(await (await stackOn(repo, head)).merge([entry(1, work, { by: 'agent' })])).toEqual({ kind: 'contained' });
    repo.git('branch', 'later', 'HEAD~1');
    const later = entry(2, repo.git('rev-parse', 'later'), { by: 'person' });
    expect(await (await stackOn(repo, head)).merge([later])).toEqual({ kind: 'contained' });
    repo.git('branch', '-f', 'feature', 'main');
    expect(await (await stackOn(repo, head)).merge([entry(3, work, { by: 'person' })])).toEqual({ kind: 'contained' });
  });
});

it('work that landed is still there when later work changed its lines again, or followed it in the same landing', async () => {
  using repo = new TestRepo();
  const start = repo.git('rev-parse', 'HEAD');
  const work = repo.commitOn(start, FILES);
  const more = repo.commitOn(work, { 'a.txt': lines('a', { 5: 'by B' }), 'new.txt': null, 'b.txt': 'b\n' });
  const landing = await land(repo, await stackOn(repo, start), [entry(2, more)]);
  expect(await (await stackOn(repo, landing)).merge([entry(1, work)])).toEqual({ kind: 'contained' });
  const later = repo.commitOn(landing, { 'b.txt': 'changed again\n' });
  expect(await (await stackOn(repo, later)).merge([entry(3, more)])).toEqual({ kind: 'contained' });
});

it('what one person put back of landed work does not come back with other work that was built on it', async () => {
  using repo = new TestRepo();
  const start = repo.git('rev-parse', 'HEAD');
  const work = repo.commitOn(start, FILES);
  const landing = await land(repo, await stackOn(repo, start), [entry(1, work)]);
  const other = repo.commitOn(work, { 'c.txt': 'c\n' });
  const tree = await treeFrom(await stackOn(repo, revert(repo, landing, false)), [entry(2, other)]);
  expect(repo.git('ls-tree', '--name-only', tree).split('\n')).not.toContain('new.txt');
});

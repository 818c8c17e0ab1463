import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { StackEntry } from '../../../src/repo/merge/judge.ts';
import { shadowOf, shadowRef } from '../../../src/repo/merge/shadow.ts';
import type { Stack } from '../../../src/repo/merge/stack.ts';
import { commitOf, entry, stackOn, treeFrom } from './entries.ts';
import { lines, TestRepo } from './repo.ts';

/** Lands a chain and hands back the stack on the new head. */
async function landed(repo: TestRepo, stack: Stack, chain: readonly StackEntry[]): Promise<Stack> {
  const { commit } = await stack.build(chain, ['unit']);
  repo.git('update-ref', 'refs/furrow/head/main', commit);
  const next = stack.advance(commit)!;
  await next.remember();
  return next;
}

/** A: adds a line. B, on A: changes that line. C, on A: takes it out again. */
function stacked(repo: TestRepo) {
  const start = repo.git('rev-parse', 'HEAD');
  const a = repo.commitOn(start, { 'a.txt': lines('a', { 5: 'a 5\nby A' }) });
  const b = repo.commitOn(a, { 'a.txt': lines('a', { 5: 'a 5\nby A, then B' }) });
  const c = repo.commitOn(a, { 'a.txt': lines('a'), 'c.txt': lines('c', { 1: 'by C' }) });
  return { start, a, b, c };
}

describe.each(['merge', 'linear'] as const)('work on top of a branch that landed squashed, in a %s history', (history) => {
  it('merges as if that branch had been merged: its edits count, and so does taking lines out', async () => {
    using repo = new TestRepo();
    const { start, a, b, c } = stacked(repo);
    const first = await stackOn(repo, start, { history });
    const after = await landed(repo, first, [entry(1, a)]);
    expect(repo.git('show', '-s', '--format=%P', after.head)).toBe(start);
    expect(repo.show(`${await treeFrom(after, [entry(2, b)])}:a.txt`)).toContain('by A, then B');
    expect(repo.show(`${await treeFrom(after, [entry(3, c)])}:a.txt`)).not.toContain('by A');
    expect(await after.merge([entry(4, a)])).toEqual({ kind: 'contained' });
  });
});

describe('what a target remembers of squashed work', () => {
  it('lasts beyond the process, follows commits of the user, and is given up when the head goes elsewhere', async () => {
    using repo = new TestRepo();
    const { start, a, b } = stacked(repo);
    const { head } = await landed(repo, await stackOn(repo, start), [entry(1, a)]);
    expect((await (await stackOn(repo, head)).merge([entry(2, b)])).kind).toBe('clean');

    const mine = repo.commitOn(head, { 'b.txt': 'mine\n' });
    const followed = await stackOn(repo, mine);
    await followed.remember();
    expect(repo.show(`${await treeFrom(followed, [entry(2, b)])}:b.txt`)).toBe('mine');
    const shadow = await shadowOf(repo, { target: 'main', head: mine });
    expect(shadow.commit).toBe(shadow.ref);

    const elsewhere = repo.commitOn(start, { 'a.txt': lines('a', { 5: 'a 5\nby A' }) }, 'the same by hand');
    expect(await shadowOf(repo, { target: 'main', head: elsewhere })).toMatchObject({ commit: elsewhere });
    const anew = await stackOn(repo, elsewhere);
    await anew.remember();
    expect(repo.git('rev-list', shadowRef('main')).split('\n')).not.toContain(a);
    expect((await anew.merge([entry(2, b)])).kind).toBe('conflict');
    const again = await landed(repo, anew, [entry(3, repo.commitOn(start, { n: 'n\n' }))]);
    expect(repo.git('show', '-s', '--format=%P', shadowRef('main'))).toContain(again.head);
  });

  it('stays when the user takes only later commits of theirs out: what they revert then does not come back with work that was built on it', async () => {
    using repo = new TestRepo();
    const { start, a } = stacked(repo);
    const { head } = await landed(repo, await stackOn(repo, start), [entry(1, a)]);
    const onTop = repo.commitOn(a, { n: 'by N\n' });
    await (await stackOn(repo, repo.commitOn(head, { 'b.txt': 'mine\n' }, 'to be amended'))).remember();
    const amended = repo.commitOn(head, { 'b.txt': 'mine, amended\n' }, 'amended');
    const followed = await stackOn(repo, amended);
    await followed.remember();
    expect(repo.git('rev-list', shadowRef('main')).split('\n')).toContain(a);
    const reverted = repo.commitOn(amended, { 'a.txt': lines('a') }, 'Revert A');
    const tree = await treeFrom(await stackOn(repo, reverted), [entry(2, onTop)]);
    expect(repo.show(`${tree}:n`)).toBe('by N');
    expect(repo.show(`${tree}:a.txt`)).not.toContain('by A');
  });

  it('is found again when a crash came between the landing and the note, and else only costs a conflict', async () => {
    using repo = new TestRepo();
    const { start, a, b } = stacked(repo);
    const { commit } = await (await stackOn(repo, start)).build([entry(1, a)], []);
    expect((await (await stackOn(repo, commit)).merge([entry(2, b)])).kind).toBe('conflict');
    const found = await stackOn(repo, commit, { landed: [a] });
    expect((await found.merge([entry(2, b)])).kind).toBe('clean');
    await found.remember();
    expect((await (await stackOn(repo, commit)).merge([entry(2, b)])).kind).toBe('clean');
  });

  it('is made anew when git no longer has all of it', async () => {
    using repo = new TestRepo();
    const { start, a, b } = stacked(repo);
    const first = await landed(repo, await stackOn(repo, start), [entry(1, a)]);
    const second = await landed(repo, first, [entry(2, repo.commitOn(start, { n: 'n\n' }))]);
    const chain = [entry(3, b)];
    expect(await second.isSound()).toBe(true);
    const before = repo.git('rev-parse', `${shadowRef('main')}^1`);
    rmSync(join(repo.root, '.git/objects', before.slice(0, 2), before.slice(2)));
    expect(await second.isSound()).toBe(false);
    await expect(second.merge(chain)).rejects.toThrow(/could not read/i);
    const again = await stackOn(repo, second.head, { landed: [a] });
    expect(await again.isSound()).toBe(true);
    expect((await again.merge(chain)).kind).toBe('clean');
    await again.remember();
    expect(repo.git('rev-list', shadowRef('main')).split('\n')).not.toContain(before);
  });

  it('is not needed, and not kept, where submitted commits become part of the history', async () => {
    using repo = new TestRepo();
    const { start, a, b } = stacked(repo);
    const after = await landed(repo, await stackOn(repo, start), [entry(1, a, { keep: true })]);
    expect((await after.merge([entry(2, b)])).kind).toBe('clean');
    expect(repo.git('for-each-ref', 'refs/furrow/shadow')).toBe('');
  });
});

describe('resolved work', () => {
  /** A lands, then D, which changes A's line on the head; B, on A's branch, changes it too. */
  async function clash(repo: TestRepo) {
    const { start, a, b } = stacked(repo);
    const one = await landed(repo, await stackOn(repo, start), [entry(1, a)]);
    const d = repo.commitOn(one.head, { 'a.txt': lines('a', { 5: 'a 5\nby A, then D' }) });
    const two = await landed(repo, one, [entry(2, d)]);
    return { a, b, two, resolution: { 'a.txt': lines('a', { 5: 'a 5\nby A, then D, then B' }) } };
  }

  it('does not conflict again in the lines that the agent resolved by merging the head', async () => {
    using repo = new TestRepo();
    const { b, two, resolution } = await clash(repo);
    expect((await two.merge([entry(3, b)])).kind).toBe('conflict');
    const resolved = commitOf(repo, [b, two.head], resolution);
    expect(repo.show(`${await treeFrom(two, [entry(4, resolved)])}:a.txt`)).toContain('by A, then D, then B');
    // And once more on top of a landing that came meanwhile.
    const other = await landed(repo, two, [entry(5, repo.commitOn(two.head, { n: 'n\n' }))]);
    expect(repo.show(`${await treeFrom(other, [entry(6, resolved)])}:a.txt`)).toContain('by A, then D, then B');
  });

  it('is suggested to start from what remembers the branch below, so that only the true conflict shows', async () => {
    using repo = new TestRepo();
    const { a, b, two } = await clash(repo);
    const more = commitOf(repo, [b], { 'c.txt': lines('c', { 2: 'by B' }) });
    const result = await two.merge([entry(3, more)]);
    if (result.kind !== 'conflict') throw new Error(result.kind);
    expect(result.report).toMatchObject({ base: a, ours: two.head, theirs: more });
    expect(result.report.files[0]!.oursTasks.map(({ task }) => task)).toEqual(['default/2', 'default/1']);
    const commit = result.report.suggested.split(' ').at(-1)!;
    expect(commit).not.toBe(two.head);
    expect(repo.git('rev-parse', `${commit}^{tree}`)).toBe(repo.git('rev-parse', `${two.head}^{tree}`));
    const fresh = await two.merge([entry(4, repo.commitOn(two.head, { 'a.txt': lines('a', { 5: 'mine' }) }))]);
    expect(fresh.kind).toBe('clean');
    const plain = await two.merge([entry(5, repo.commitOn(repo.git('rev-parse', 'HEAD'), { 'a.txt': lines('a', { 5: 'x' }) }))]);
    if (plain.kind !== 'conflict') throw new Error(plain.kind);
    expect(plain.report.suggested).toBe(`git merge --no-ff ${two.head}`);
  });
});

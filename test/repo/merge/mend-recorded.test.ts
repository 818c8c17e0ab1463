import { existsSync, readdirSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { learn } from '../../../src/repo/merge/mend/learn.ts';
import { OpenConflict } from './mend-open-conflict.ts';
import { lines } from './repo.ts';

describe('recorded resolutions', () => {
  const ours = { 'a.txt': lines('a', { 3: 'ours' }) };
  const theirs = { 'a.txt': lines('a', { 3: 'theirs' }) };
  const both = lines('a', { 3: 'ours and theirs' });

  /** A user who resolves the merge by hand in a worktree of their own, with rerere on. */
  function resolveByHand({ repo, start }: OpenConflict): void {
    repo.git('config', 'rerere.enabled', 'true');
    const worktree = join(repo.folder, 'by-hand');
    repo.git('worktree', 'add', '-q', '--detach', worktree, repo.commitOn(start, ours));
    expect(() => repo.gitIn(worktree, 'merge', '-q', repo.commitOn(start, theirs))).toThrow();
    repo.write({ 'a.txt': both }, worktree);
    repo.gitIn(worktree, 'add', '-A');
    repo.gitIn(worktree, 'commit', '-q', '-m', 'merged');
  }

  it('of the user are used, also in a file that has changed elsewhere since, and only when asked to', async () => {
    using openConflict = new OpenConflict();
    resolveByHand(openConflict);
    const known = readdirSync(join(openConflict.repo.gitDir, 'rr-cache'), { recursive: true });
    const moved = { 'a.txt': lines('a', { 3: 'theirs', 15: 'elsewhere' }) };
    const found = await openConflict.mend(ours, moved, { rerere: true });
    expect(found.mended).toMatchObject({ by: [{ path: 'a.txt', how: 'rerere' }] });
    expect(found.text('a.txt')).toBe(lines('a', { 3: 'ours and theirs', 15: 'elsewhere' }).trimEnd());
    expect((await openConflict.mend(ours, theirs, {})).mended).toMatchObject({ kind: 'none' });
    const other = { 'a.txt': lines('a', { 3: 'something else' }) };
    expect((await openConflict.mend(ours, other, { rerere: true })).mended).toMatchObject({ kind: 'none' });
    expect(readdirSync(join(openConflict.repo.gitDir, 'rr-cache'), { recursive: true })).toEqual(known);
  });

  it('that are links are not followed', async () => {
    using openConflict = new OpenConflict();
    resolveByHand(openConflict);
    const cache = join(openConflict.repo.gitDir, 'rr-cache');
    const image = join(cache, readdirSync(cache)[0]!, 'postimage');
    renameSync(image, join(openConflict.repo.folder, 'elsewhere'));
    symlinkSync(join(openConflict.repo.folder, 'elsewhere'), image);
    expect((await openConflict.mend(ours, theirs, { rerere: true })).mended).toMatchObject({ kind: 'none' });
  });
});

describe('learning', () => {
  const ours = { 'a.txt': lines('a', { 3: 'ours' }), 'b.txt': lines('b', { 3: 'ours' }) };
  const theirs = { 'a.txt': lines('a', { 3: 'theirs' }), 'b.txt': lines('b', { 3: 'theirs' }) };
  const answer = { 'a.txt': lines('a', { 3: 'ours and theirs' }), 'b.txt': lines('b', { 3: 'theirs, then ours' }) };

  /** The agent's answer to a handback: the head merged into its work, and more work after. */
  function resubmit(openConflict: OpenConflict, files: Record<string, string>) {
    const { repo, start } = openConflict;
    const [head, sent] = [repo.commitOn(start, ours), repo.commitOn(start, theirs)];
    const before = repo.commitOn(sent, { 'c.txt': 'a little more\n' });
    const tree = repo.git('rev-parse', `${repo.commitOn(before, files)}^{tree}`);
    const merge = repo.git('commit-tree', '-m', 'merged', '-p', before, '-p', head, tree);
    return { ours: head, theirs: sent, resolved: repo.commitOn(merge, { 'a.txt': 'rewritten afterwards\n' }) };
  }

  it('from an answered handback resolves the same conflict next time, by what was merged and not by later work', async () => {
    using openConflict = new OpenConflict();
    expect(await learn(openConflict.repo, resubmit(openConflict, answer))).toEqual(['a.txt', 'b.txt']);
    const again = await openConflict.mend(ours, { ...theirs, 'c.txt': 'other work\n' }, { rerere: true });
    expect(again.text('a.txt')).toBe(answer['a.txt'].trimEnd());
    expect(again.text('b.txt')).toBe(answer['b.txt'].trimEnd());
    expect(existsSync(join(openConflict.repo.gitDir, 'rr-cache'))).toBe(false);
    expect(openConflict.repo.git('status', '--porcelain')).toBe('');
  });

  it('replaces what was learned before about the same conflict', async () => {
    using openConflict = new OpenConflict();
    await learn(openConflict.repo, resubmit(openConflict, answer));
    await learn(openConflict.repo, resubmit(openConflict, { ...answer, 'a.txt': lines('a', { 3: 'better' }) }));
    const again = await openConflict.mend(ours, theirs, { rerere: true });
    expect(again.text('a.txt')).toBe(lines('a', { 3: 'better' }).trimEnd());
  });

  it('takes nothing from a file left with markers, nor from work that never merged the head', async () => {
    using openConflict = new OpenConflict();
    const lazy = resubmit(openConflict, { ...answer, 'a.txt': '<<<<<<< x\nours\n=======\ntheirs\n>>>>>>> y\n' });
    expect(await learn(openConflict.repo, lazy)).toEqual(['b.txt']);
    const unmerged = { ...lazy, resolved: openConflict.repo.commitOn(lazy.theirs, answer) };
    expect(await learn(openConflict.repo, unmerged)).toEqual([]);
  });
});

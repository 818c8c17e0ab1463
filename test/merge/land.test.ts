import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextEpoch } from '../../src/merge/epoch.ts';
import { headRef, type Landing, land, landingCommit, probeLanding } from '../../src/merge/land.ts';
import { landingMessage, oneLine } from '../../src/merge/message.ts';
import { predict } from '../../src/merge/stack.ts';
import { lines, TestRepo } from './repo.ts';

const committer = { name: 'furrow', email: 'furrow@localhost' };
const entry = { task: 'default/7', attempt: 2, agent: 'quiet-fox', title: 'say five' };
const ref = headRef('main');

function prepared() {
  const repo = new TestRepo();
  const start = repo.git('rev-parse', 'HEAD');
  const sha = repo.commitOn(start, { 'a.txt': lines('a', { 2: 'theirs' }) }, 'work', 'Bob <bob@example.com>');
  const head = repo.commitOn(start, { 'b.txt': lines('b', { 2: 'ours' }) });
  repo.git('update-ref', ref, head);
  return { repo, start, sha, head };
}

async function landing(repo: TestRepo, head: string, sha: string, rest: Partial<Landing> = {}): Promise<string> {
  const merged = await predict(repo, { head, sha, task: entry.task, attempt: 2, target: 'main', intent: '' });
  if (merged.kind !== 'clean') throw new Error(merged.kind);
  return landingCommit(repo, {
    head,
    sha,
    tree: merged.tree,
    entries: [entry],
    checks: ['unit', 'lint'],
    at: 1_700_000_500_000,
    committer,
    history: 'merge',
    ...rest,
  });
}

describe('a landing commit', () => {
  it('is the same commit every time, with the checked tree, both parents, the author, and trailers git can read', async () => {
    const { repo, head, sha } = prepared();
    using _ = repo;
    const commit = await landing(repo, head, sha);
    expect(await landing(repo, head, sha)).toBe(commit);
    const format = '%P|%an <%ae> %at|%cn %ct|%s|%(trailers:only,separator=%x2C)';
    expect(repo.git('show', '-s', `--format=${format}`, commit)).toBe(
      `${head} ${sha}|Bob <bob@example.com> 1700000500|furrow 1700000500|land 7: say five|` +
        'Furrow-Task: 7,Furrow-Attempt: 2,Furrow-Agent: quiet-fox,Furrow-Check: unit ok,Furrow-Check: lint ok',
    );
    expect(await predict(repo, { head: commit, sha, task: entry.task, attempt: 2, target: 'main', intent: '' })).toEqual({
      kind: 'contained',
    });
  });

  it('has one parent in a linear history, and the committer as author where git would refuse the name', async () => {
    const { repo, head, start } = prepared();
    using _ = repo;
    const raw = repo.git('cat-file', 'commit', repo.commitOn(start, { x: 'x\n' })).replace('author Ada', 'author ...');
    repo.write({ 'raw.ignored': `${raw}\n` });
    const dotted = repo.git('hash-object', '-t', 'commit', '-w', '--literally', 'raw.ignored');
    const commit = await landing(repo, head, dotted, { history: 'linear' });
    expect(repo.git('show', '-s', '--format=%P %an', commit)).toBe(`${head} furrow`);
  });

  it('cannot be made to carry trailers by a title, an agent name or a check name', () => {
    const nasty = fc.string({
      unit: fc.constantFrom('a', ' ', ':', '\n', '\r', '\u2028', '\u0085', '\0', '\x1b', '\u202e', '\ud800', 'Furrow-Task: 9', 'é'),
    });
    fc.assert(
      fc.property(nasty, nasty, nasty, (title, agent, check) => {
        const message = landingMessage([{ ...entry, title, agent }], [check]);
        const [subject, blank, ...trailers] = message.split('\n');
        expect(subject!.startsWith('land 7')).toBe(true);
        expect(blank).toBe('');
        expect(trailers.filter((line) => line.startsWith('Furrow-Task:'))).toEqual(['Furrow-Task: 7']);
        expect(message).not.toMatch(/[^\P{C}\n]/u);
        expect([...oneLine(title)].length).toBeLessThanOrEqual(72);
      }),
    );
  });

  it('lands the pinned commit wherever its branch has gone since', async () => {
    const { repo, head, sha, start } = prepared();
    using _ = repo;
    repo.git('branch', 'furrow/default/quiet-fox/7', sha);
    repo.git('branch', '-f', 'furrow/default/quiet-fox/7', repo.commitOn(start, { 'a.txt': 'sabotage\n' }));
    const commit = await landing(repo, head, sha);
    expect(await land(repo, { ref, old: head, new: commit, epoch: await nextEpoch(repo) })).toEqual({ moved: true });
    expect(repo.show(`${ref}:a.txt`)).toContain('theirs');
  });
});

describe('landing', () => {
  it('is one compare-and-swap: a head that moved, a replaced daemon and a rewrite all change nothing', async () => {
    const { repo, head, sha, start } = prepared();
    using _ = repo;
    const old = await nextEpoch(repo);
    const epoch = await nextEpoch(repo);
    expect([old.n, epoch.n]).toEqual([1, 2]);
    const commit = await landing(repo, head, sha);
    await expect(land(repo, { ref, old: head, new: commit, epoch: old })).rejects.toMatchObject({ code: 'STALE_EPOCH' });
    await expect(land(repo, { ref, old: head, new: repo.commitOn(start, { x: 'x' }), epoch })).rejects.toMatchObject({
      code: 'NOT_A_LANDING',
    });
    const other = repo.commitOn(head, { y: 'y' });
    repo.git('update-ref', ref, other);
    expect(await land(repo, { ref, old: head, new: commit, epoch })).toEqual({ moved: false, at: other });
    expect(repo.git('rev-parse', ref)).toBe(other);
  });

  it('is known afterwards as done, to do, or lost', async () => {
    const { repo, head, sha, start } = prepared();
    using _ = repo;
    const commit = await landing(repo, head, sha);
    const states: [string, string][] = [
      [head, 'todo'],
      [commit, 'done'],
      [repo.commitOn(commit, { z: 'z' }), 'done'],
      [start, 'lost'],
      [repo.commitOn(head, { z: 'z' }), 'lost'],
    ];
    for (const [at, state] of states) {
      repo.git('update-ref', ref, at);
      expect(await probeLanding(repo, { ref, old: head, new: commit })).toBe(state);
    }
    repo.git('update-ref', '-d', ref);
    expect(await probeLanding(repo, { ref, old: head, new: commit })).toBe('lost');
  });
});

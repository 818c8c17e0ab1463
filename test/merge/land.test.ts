import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeWithBase } from '../../src/merge/base.ts';
import { nextEpoch } from '../../src/merge/epoch.ts';
import { headRef, land, probeLanding } from '../../src/merge/land.ts';
import { landingMessage, oneLine } from '../../src/merge/message.ts';
import { draft, writeCommits } from '../../src/merge/pack.ts';
import { commitTree } from '../../src/platform/git/objects.ts';
import { entry, furrow, stackOn } from './entries.ts';
import { lines, TestRepo } from './repo.ts';

const ref = headRef('main');
const work = (sha: string) => entry(7, sha, { attempt: 2, title: 'say five', at: 1_700_000_500_000 });

function prepared(format: 'sha1' | 'sha256' = 'sha1') {
  const repo = new TestRepo(format);
  const start = repo.git('rev-parse', 'HEAD');
  const sha = repo.commitOn(start, { 'a.txt': lines('a', { 2: 'theirs' }) }, 'work', 'Bob <bob@example.com>');
  const head = repo.commitOn(start, { 'b.txt': lines('b', { 2: 'ours' }) });
  repo.git('update-ref', ref, head);
  return { repo, start, sha, head };
}

async function landing(repo: TestRepo, head: string, sha: string): Promise<string> {
  return (await (await stackOn(repo, head)).build([work(sha)], ['unit', 'lint'])).commit;
}

describe.each(['sha1', 'sha256'] as const)('a landing of one task in a %s repository', (format) => {
  it('is the same commit every time, with the checked tree, the author, and trailers git can read', async () => {
    const { repo, head, sha } = prepared(format);
    using _ = repo;
    const stack = await stackOn(repo, head);
    const built = await stack.build([work(sha)], ['unit', 'lint', 'unit']);
    expect(await landing(repo, head, sha)).toBe(built.commit);
    const format_ = '%P|%T|%an <%ae> %at|%cn %ct|%s|%(trailers:only,separator=%x2C)';
    expect(repo.git('show', '-s', `--format=${format_}`, built.commit)).toBe(
      `${head}|${built.tree}|Bob <bob@example.com> 1700000500|furrow 1700000500|land 7: say five|` +
        'Furrow-Task: 7,Furrow-Attempt: 2,Furrow-Agent: quiet-fox,Furrow-Check: unit ok,Furrow-Check: lint ok',
    );
    const kept = await stack.build([{ ...work(sha), keep: true }], []);
    expect(repo.git('show', '-s', '--format=%P', kept.commit)).toBe(`${head} ${sha}`);
    expect(repo.git('fsck', '--strict', '--no-dangling')).toBe('');
  });
});

describe('a landing of several tasks', () => {
  const three = (repo: TestRepo, start: string) => [
    entry(4, repo.commitOn(start, { x: 'x\n' }, 'x', 'Bob <bob@example.com>'), { task: 'p1/4' }),
    entry(7, repo.commitOn(start, { y: 'y\n' }, 'y', 'Eve <eve@example.com>'), { keep: true, agent: null }),
    entry(9, repo.commitOn(start, { z: 'z\n' })),
  ];

  it('is one commit on the first-parent chain, with the chain of the tasks beside it', async () => {
    const { repo, head, start } = prepared();
    using _ = repo;
    const tasks = three(repo, start);
    const { commit, tree } = await (await stackOn(repo, head)).build(tasks, ['unit']);
    expect(repo.git('log', '--first-parent', '--format=%H %T', commit, `^${head}`)).toBe(`${commit} ${tree}`);
    expect(repo.git('show', '-s', '--format=%B', commit)).toBe(
      'land 3 tasks: 4, 7, 9\n\n- 4 task 4\n- 7 task 7\n- 9 task 9\n\n' +
        'Furrow-Task: 4\nFurrow-Phase: p1\nFurrow-Attempt: 1\nFurrow-Agent: quiet-fox\nFurrow-Task: 7\nFurrow-Attempt: 1\n' +
        'Furrow-Task: 9\nFurrow-Attempt: 1\nFurrow-Agent: quiet-fox\nFurrow-Check: unit ok',
    );
    // Only the tree of the landing was checked, and only it says so.
    const side = repo.git('log', '--first-parent', '--format=%an|%s|%(trailers:key=Furrow-Check)', `${commit}^2`, `^${head}`);
    expect(side).toBe('Ada|land 9: task 9|\nEve|land 7: task 7|\nBob|land 4: task 4|');
    expect(repo.git('rev-parse', `${commit}^1`, `${commit}^2^^2`)).toBe(`${head}\n${tasks[1]!.sha}`);
    expect(repo.git('diff', '--name-only', `${commit}^2^^`, `${commit}^2^`)).toBe('y');
    expect(repo.git('rev-list', '--count', `${head}..${commit}`)).toBe('5');
  });

  it('is one plain commit in a linear history, whatever the tasks ask', async () => {
    const { repo, head, start } = prepared();
    using _ = repo;
    const stack = await stackOn(repo, head, { history: 'linear' });
    const { commit } = await stack.build(three(repo, start), []);
    const tasks = '%(trailers:key=Furrow-Task,valueonly,separator=%x2C)';
    expect(repo.git('show', '-s', `--format=%P %an ${tasks}`, commit)).toBe(`${head} furrow 4,7,9`);
    expect(repo.git('rev-list', '--count', `${head}..${commit}`)).toBe('1');
  });

  it('names each task for the lines that it changed, and no other, when later work meets them', async () => {
    const { repo, head, start } = prepared();
    using _ = repo;
    const stack = await stackOn(repo, head);
    const past = stack.advance((await stack.build(three(repo, start), [])).commit)!;
    const result = await past.merge([entry(10, repo.commitOn(start, { y: 'not y\n', x: 'not x\n' }))]);
    if (result.kind !== 'conflict') throw new Error(result.kind);
    const whose = result.report.files.map(({ path, oursTasks }) => [path, oursTasks.map(({ task }) => task)]);
    expect(whose).toEqual([
      ['x', ['p1/4']],
      ['y', ['default/7']],
    ]);
  });
});

describe('a landing commit', () => {
  it('has the words that commit-tree would give it, and the committer as author where git would refuse the name', async () => {
    const { repo, head, start } = prepared();
    using _ = repo;
    const tree = repo.git('rev-parse', 'HEAD^{tree}');
    const people = [{ name: " .Zoë <O'Neil>, ", email: ' <z@x> ' }, furrow].map((author) => ({
      tree,
      parents: [head, start],
      message: `é\n\n${'long '.repeat(900)}\n`,
      author,
      committer: furrow,
      at: 1_234_567,
    }));
    const drafts = people.map(draft);
    await writeCommits(repo, drafts);
    for (const [n, one] of people.entries()) expect(drafts[n]!.id).toBe(await commitTree(repo, one));
    const raw = repo.git('cat-file', 'commit', repo.commitOn(start, { x: 'x\n' })).replace('author Ada', 'author ...');
    repo.write({ 'raw.ignored': `${raw}\n` });
    const dotted = repo.git('hash-object', '-t', 'commit', '-w', '--literally', 'raw.ignored');
    expect(repo.git('show', '-s', '--format=%an', await landing(repo, head, dotted))).toBe('furrow');
  });

  it('cannot be made to carry trailers by a title, an agent name or a check name', () => {
    const nasty = fc.string({
      unit: fc.constantFrom('a', ' ', ':', '\n', '\r', '\u2028', '\u0085', '\0', '\x1b', '\u202e', '\ud800', 'Furrow-Task: 9', 'é'),
    });
    fc.assert(
      fc.property(nasty, nasty, nasty, (title, agent, check) => {
        const message = landingMessage([{ ...work(''), title, agent }], [check]);
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
    expect(await land(repo, { ref, old: head, new: commit, parent: head, epoch: await nextEpoch(repo) })).toEqual({ moved: true });
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

describe('taking back a landing', () => {
  it('is a merge from a base of our choice, with the same conflicts as any', async () => {
    const { repo, head, sha } = prepared();
    using _ = repo;
    const landed = await landing(repo, head, sha);
    const later = repo.commitOn(landed, { 'c.txt': 'later\n' });
    const back = await mergeWithBase(repo, { base: landed, ours: later, theirs: head, target: 'main' });
    if (back.kind !== 'merged') throw new Error(back.reason);
    expect(repo.git('diff', '--name-only', head, back.output.tree)).toBe('c.txt');
    const built = repo.commitOn(landed, { 'a.txt': lines('a', { 2: 'built on it' }) });
    const clash = await mergeWithBase(repo, { base: landed, ours: built, theirs: head, target: 'main' });
    expect(clash).toMatchObject({ kind: 'merged', output: { clean: false, files: [{ path: 'a.txt', kind: 'content' }] } });
  });
});

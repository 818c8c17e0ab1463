import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commitTree } from '../../../src/platform/git/objects.ts';
import { nextEpoch } from '../../../src/repo/merge/epoch.ts';
import { land, probeLanding } from '../../../src/repo/merge/land.ts';
import { mergeWithBase } from '../../../src/repo/merge/merge-with-base.ts';
import { headRef } from '../../../src/repo/merge/target-refs.ts';
import { draft, writeCommits } from '../../../src/repo/merge/write-commits.ts';
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
      `${head}|${built.tree}|Bob <bob@example.com> 1700000000|furrow 1700000500|work|` +
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
      'task 4, task 7, task 9 (3 tasks)\n\n- 4 task 4\n- 7 task 7\n- 9 task 9\n\n' +
        'Furrow-Task: 4\nFurrow-Phase: p1\nFurrow-Attempt: 1\nFurrow-Agent: quiet-fox\nFurrow-Task: 7\nFurrow-Attempt: 1\n' +
        'Furrow-Task: 9\nFurrow-Attempt: 1\nFurrow-Agent: quiet-fox\nFurrow-Check: unit ok',
    );
    // Only the tree of the landing was checked, and only it says so.
    const side = repo.git('log', '--first-parent', '--format=%an|%s|%(trailers:key=Furrow-Check)', `${commit}^2`, `^${head}`);
    expect(side).toBe('Ada|work|\nEve|task 7|\nBob|x|');
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
  it('is what its author wrote: name, date with zone, words of another encoding, trailers, but no signature', async () => {
    const { repo, head, start } = prepared();
    using _ = repo;
    const tree = repo.git('rev-parse', `${repo.commitOn(start, { x: 'x\n' })}^{tree}`);
    const raw =
      `tree ${tree}\nparent ${start}\nauthor Zo\xeb <z@x> 1690000000 +0530\ncommitter Ada <a@x> 1690000001 +0000\nencoding ISO-8859-1\n` +
      'gpgsig -----BEGIN PGP SIGNATURE-----\n \n -----END PGP SIGNATURE-----\n\nGr\xfc\xdfe\n\nText\n\nSigned-off-by: Zo\xeb <z@x>\n';
    writeFileSync(join(repo.folder, 'raw'), raw, 'latin1');
    const commit = await landing(repo, head, repo.git('hash-object', '-t', 'commit', '-w', '--literally', join(repo.folder, 'raw')));
    expect(repo.git('show', '-s', '--format=%an|%ad|%cd|%B', '--date=raw', commit)).toBe(
      'Zoë|1690000000 +0530|1700000500 +0000|Grüße\n\nText\n\nSigned-off-by: Zoë <z@x>\n' +
        'Furrow-Task: 7\nFurrow-Attempt: 2\nFurrow-Agent: quiet-fox\nFurrow-Check: unit ok\nFurrow-Check: lint ok',
    );
    expect(repo.git('cat-file', 'commit', commit)).not.toMatch(/gpgsig|encoding/);
  });

  it('of several commits names everybody, and is by whom most of it is; work that it builds on is not told twice', async () => {
    const { repo, head, start } = prepared();
    using _ = repo;
    const first = repo.commitOn(start, { x: '1\n' }, 'Earlier\n', 'Eve <eve@example.com>');
    const one = repo.commitOn(first, { x: '2\n' }, 'One\n\nCo-authored-by: Dan <dan@x>\n', 'Bob <bob@example.com>');
    const two = repo.commitOn(one, { x: '3\n' }, 'Two\n', 'Dan <dan@x>');
    const tip = repo.commitOn(repo.commitOn(two, { x: '4\n' }, 'Three\n', 'Bob <bob@example.com>'), { x: '5\n' }, 'Four\n', 'Zoe <z@x>');
    const stack = await stackOn(repo, head);
    const { commit } = await stack.build([entry(3, first), work(tip)], []);
    expect(repo.git('show', '-s', '--format=%an|%B', `${commit}^2`)).toBe(
      'Bob|say five\n\n- One\n- Two\n- Three\n- Four\n\nCo-authored-by: Dan <dan@x>\nCo-authored-by: Zoe <z@x>\n' +
        'Furrow-Task: 7\nFurrow-Attempt: 2\nFurrow-Agent: quiet-fox',
    );
    // Landed one by one, in two processes, it is told the same way.
    const before = await stack.build([entry(3, first)], []);
    const alone = await stack.advance(before.commit)!.build([work(tip)], []);
    expect(repo.git('show', '-s', '--format=%B', alone.commit)).toBe(repo.git('show', '-s', '--format=%B', `${commit}^2`));
    const again = await stackOn(repo, before.commit, { landed: [first] });
    expect((await again.build([work(tip)], [])).commit).toBe(alone.commit);
  });

  it("of a person's several commits keeps them behind it", async () => {
    const { repo, head, start } = prepared();
    using _ = repo;
    const tip = repo.commitOn(repo.commitOn(start, { x: '1\n' }, 'One\n\nwhy'), { x: '2\n' }, 'Two');
    const mine = { ...work(tip), agent: null };
    const { commit } = await (await stackOn(repo, head)).build([mine], []);
    expect(repo.git('show', '-s', '--format=%P|%s', commit)).toBe(`${head} ${tip}|say five`);
    const linear = await (await stackOn(repo, head, { history: 'linear' })).build([mine], []);
    expect(repo.git('show', '-s', '--format=%P|%b', linear.commit)).toContain(`${head}|- One\n\n  why\n\n- Two\n`);
  });

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

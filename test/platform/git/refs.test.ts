import { execFileSync } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdir, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { logExec } from '../../../src/platform/exec.ts';
import { commitTree, diffPaths, writeBlob } from '../../../src/platform/git/objects.ts';
import { putPlantedAway } from '../../../src/platform/git/own-ref.ts';
import { plantedRefs } from '../../../src/platform/git/planted-refs.ts';
import {
  createRef,
  deleteRefs,
  isAncestor,
  listRefs,
  moveRef,
  refsWithin,
  resolve,
  resolveAll,
  treeOf,
} from '../../../src/platform/git/refs.ts';
import { git } from '../../../src/platform/git/run.ts';
import { gitRepo, type TestRepo } from './repo.ts';

const ada = { name: 'Ada', email: 'ada@example.org' };

function child(repo: TestRepo, parent: string, message: string): Promise<string> {
  return treeOf(repo, parent).then((tree) =>
    commitTree(repo, { tree, parents: [parent], message, author: ada, committer: ada, at: 1_700_000_000_000 }),
  );
}

const planted: [name: string, plant: (file: string) => void][] = [
  ['a named pipe', (file) => execFileSync('mkfifo', [file])],
  ['a link to another ref', (file) => symlinkSync('../../../main', file)],
  ['a link to nowhere', (file) => symlinkSync('nowhere', file)],
  ['empty', (file) => writeFileSync(file, '')],
  ['garbage', (file) => writeFileSync(file, 'x'.repeat(5000))],
  ['an id that goes on', (file) => writeFileSync(file, `${'a'.repeat(40)} ref: refs/heads/main\n`)],
];

describe('a ref', () => {
  it('moved by twenty at once is moved by exactly one', async () => {
    await using repo = await gitRepo();
    const from = (await resolve(repo, 'main'))!;
    await createRef(repo, 'refs/furrow/head/main', from);
    const wanted = await Promise.all(Array.from({ length: 20 }, (_, n) => child(repo, from, `try ${n}`)));
    const moves = await Promise.all(wanted.map((to) => moveRef(repo, { ref: 'refs/furrow/head/main', to, from })));
    expect(moves.filter(({ moved }) => moved)).toHaveLength(1);
    const winner = wanted[moves.findIndex(({ moved }) => moved)];
    expect(await resolve(repo, 'refs/furrow/head/main')).toBe(winner);
    for (const move of moves) if (!move.moved) expect(move.at).toBe(winner);
  });

  it('is read anew each time, whoever moved, packed or deleted it', async () => {
    await using repo = await gitRepo();
    const ref = 'refs/heads/furrow/a';
    const one = (await resolve(repo, 'main'))!;
    const two = await child(repo, one, 'next');
    const asked = async () => [await resolve(repo, ref), await resolve(repo, ref)];
    for (const value of [one, two, one]) {
      await git(repo, ['update-ref', ref, value]);
      expect(await asked()).toEqual([value, value]);
    }
    await git(repo, ['pack-refs', '--all', '--prune']);
    expect(await asked()).toEqual([one, one]);
    await git(repo, ['update-ref', ref, two]);
    expect(await asked()).toEqual([two, two]);
    await git(repo, ['update-ref', '-d', ref]);
    expect(await asked()).toEqual([undefined, undefined]);
  });

  it.each(['refs/heads/main', 'refs/heads/none'])('of ours that is a symbolic ref to %s is not read, written or deleted', async (to) => {
    await using repo = await gitRepo();
    const ref = 'refs/heads/furrow/p/ada/1';
    const one = (await resolve(repo, 'main'))!;
    const two = await child(repo, one, 'next');
    await git(repo, ['symbolic-ref', ref, to]);
    const refused = { code: 'PLANTED_REF', message: expect.stringContaining(`a symbolic ref to ${to}`) };
    await expect(resolve(repo, ref)).rejects.toMatchObject(refused);
    await expect(resolveAll(repo, ['refs/heads/main', ref])).rejects.toMatchObject(refused);
    await expect(createRef(repo, ref, two)).rejects.toMatchObject(refused);
    await expect(moveRef(repo, { ref, to: two, from: one })).rejects.toMatchObject(refused);
    expect(await listRefs(repo, 'refs/heads/furrow/')).toEqual([]);
    await deleteRefs(repo, [{ ref, oid: one }]);
    expect(repo.sh(['for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads/main', 'refs/heads/none'])).toBe(
      `${one} refs/heads/main`,
    );
  });

  it('that becomes a symbolic ref after it was looked at does not move what it leads to', async () => {
    await using repo = await gitRepo();
    const ref = 'refs/heads/furrow/p/ada/1';
    const one = (await resolve(repo, 'main'))!;
    const two = await child(repo, one, 'next');
    const epoch = { ref: 'refs/furrow/epoch', oid: await writeBlob(repo, 'epoch 1') };
    await createRef(repo, epoch.ref, epoch.oid);
    await createRef(repo, ref, one);
    // Moves that carry an epoch wait for each other: this one was looked at, and its git comes when the first is done.
    const lock = join(repo.gitDir, 'refs/heads/held.lock');
    writeFileSync(lock, '');
    const first = moveRef(repo, { ref: 'refs/heads/held', to: one, from: null, epoch });
    const second = moveRef(repo, { ref, to: two, from: one, epoch });
    writeFileSync(join(repo.gitDir, ref), 'ref: refs/heads/main\n');
    await unlink(lock);
    expect(await Promise.all([first, second])).toEqual([{ moved: true }, { moved: true }]);
    expect(repo.sh(['rev-parse', 'refs/heads/main', ref])).toBe(`${one}\n${two}`);
  });

  it.each(planted)('of ours that is %s is neither opened nor followed', async (_, plant) => {
    await using repo = await gitRepo();
    const ref = 'refs/heads/furrow/p/ada/1';
    const one = (await resolve(repo, 'main'))!;
    const file = join(repo.gitDir, ref);
    await mkdir(dirname(file), { recursive: true });
    plant(file);
    await expect(resolve(repo, ref)).rejects.toMatchObject({ code: 'PLANTED_REF' });
    await expect(createRef(repo, ref, one)).rejects.toMatchObject({ code: 'PLANTED_REF' });
    expect(plantedRefs(repo.gitDir)).toMatchObject([{ path: file }]);
    await putPlantedAway(repo, ref);
    expect(plantedRefs(repo.gitDir)).toEqual([]);
    await createRef(repo, ref, one);
    expect(await resolve(repo, ref)).toBe(one);
  });

  it('that is no commit, or that git takes for no ref, names none', async () => {
    await using repo = await gitRepo();
    const one = (await resolve(repo, 'refs/heads/main'))!;
    await git(repo, ['update-ref', 'refs/furrow/epoch', await writeBlob(repo, 'epoch 1')]);
    expect(await resolve(repo, 'refs/furrow/epoch')).toBeUndefined();
    for (const name of ['b.lock', 'c..d', 'e.']) writeFileSync(join(repo.gitDir, 'refs/heads', name), `${one}\n`);
    symlinkSync(join(repo.gitDir, 'refs/heads/main'), join(repo.gitDir, 'refs/heads/linked'));
    for (const name of ['b.lock', 'c..d', 'e.', 'main~1', '../heads/none'])
      expect(await resolve(repo, `refs/heads/${name}`)).toBeUndefined();
    expect(await resolve(repo, 'refs/heads/linked')).toBe(one);
    expect(await resolve(repo, 'refs/heads/main^0')).toBe(one);
  });

  it('is not moved by a daemon whose epoch is over', async () => {
    await using repo = await gitRepo();
    const from = (await resolve(repo, 'main'))!;
    const to = await child(repo, from, 'next');
    const [old, now] = [await writeBlob(repo, 'epoch 1'), await writeBlob(repo, 'epoch 2')];
    await createRef(repo, 'refs/furrow/epoch', old);
    await moveRef(repo, { ref: 'refs/furrow/epoch', to: now, from: old });
    const move = (oid: string) => moveRef(repo, { ref: 'refs/heads/main', to, from, epoch: { ref: 'refs/furrow/epoch', oid } });
    await expect(move(old)).rejects.toMatchObject({ code: 'STALE_EPOCH' });
    expect(await resolve(repo, 'main')).toBe(from);
    expect(await move(now)).toEqual({ moved: true });
    expect(await resolve(repo, 'main')).toBe(to);
  });

  it('that somebody holds for a moment is moved afterwards; one held for good is an error', async () => {
    await using repo = await gitRepo();
    const from = (await resolve(repo, 'main'))!;
    const to = await child(repo, from, 'next');
    const lock = join(repo.gitDir, 'refs/heads/main.lock');
    writeFileSync(lock, '');
    const freed = new Promise((done) => setTimeout(() => done(unlink(lock)), 300));
    expect(await moveRef(repo, { ref: 'refs/heads/main', to, from })).toEqual({ moved: true });
    await freed;
    writeFileSync(lock, '');
    await expect(moveRef(repo, { ref: 'refs/heads/main', to: from, from: to })).rejects.toMatchObject({ code: 'GIT_FAILED' });
  });

  it('can be pinned twice, but not to another commit', async () => {
    await using repo = await gitRepo();
    const one = (await resolve(repo, 'main'))!;
    await createRef(repo, 'refs/furrow/pin/p/t/1', one);
    await createRef(repo, 'refs/furrow/pin/p/t/1', one);
    await expect(createRef(repo, 'refs/furrow/pin/p/t/1', await child(repo, one, 'x'))).rejects.toMatchObject({ code: 'REF_TAKEN' });
  });

  it('is deleted only as long as it has the value that was seen, and only if it is ours', async () => {
    await using repo = await gitRepo();
    const one = (await resolve(repo, 'main'))!;
    const two = await child(repo, one, 'x');
    for (const name of ['a', 'b', 'c']) await createRef(repo, `refs/heads/furrow/${name}`, one);
    await moveRef(repo, { ref: 'refs/heads/furrow/b', to: two, from: one });
    const gone = await deleteRefs(
      repo,
      ['a', 'b', 'c'].map((name) => ({ ref: `refs/heads/furrow/${name}`, oid: one })),
    );
    expect(gone.sort()).toEqual(['refs/heads/furrow/a', 'refs/heads/furrow/c']);
    expect(await listRefs(repo, 'refs/heads/furrow/')).toEqual([{ ref: 'refs/heads/furrow/b', oid: two }]);
    await expect(deleteRefs(repo, [{ ref: 'refs/heads/main', oid: one }])).rejects.toMatchObject({ code: 'REF_PROTECTED' });
  });

  it('with a link planted in its reflog is not written', async () => {
    await using repo = await gitRepo();
    const from = (await resolve(repo, 'main'))!;
    const victim = join(repo.root, 'victim');
    writeFileSync(victim, 'mine');
    await mkdir(join(repo.gitDir, 'logs/refs/heads/furrow/p'), { recursive: true });
    symlinkSync(victim, join(repo.gitDir, 'logs/refs/heads/furrow/p/t'));
    await expect(createRef(repo, 'refs/heads/furrow/p/t', from)).rejects.toMatchObject({ code: 'PLANTED_LINK' });
    expect(readFileSync(victim, 'utf8')).toBe('mine');
  });
});

it('hundreds of refs are held against several heads by one git, and only a commit that a head contains counts', async () => {
  await using repo = await gitRepo();
  const base = repo.sh(['rev-parse', 'HEAD']);
  const [left, right, open] = [await child(repo, base, 'left'), await child(repo, base, 'right'), await child(repo, base, 'open')];
  const tree = await treeOf(repo, base);
  const values = { base, left, right, open, tree };
  const lines = Object.entries(values).flatMap(([name, oid]) =>
    Array.from({ length: 80 }, (_, n) => `create refs/furrow/pin/${name}/${n} ${oid}\n`),
  );
  execFileSync('git', ['update-ref', '--stdin'], { cwd: repo.root, input: lines.join('') });
  let gits = 0;
  logExec(() => void gits++);
  const within = await refsWithin(repo, [left, right, left], ['refs/furrow/pin/', 'refs/heads/furrow/']);
  logExec(() => {});
  expect(gits).toBe(1);
  const found = new Set(within.map(({ ref, oid }) => `${ref.split('/')[3]} ${oid}`));
  expect(await refsWithin(repo, [], ['refs/furrow/pin/'])).toEqual([]);
  expect([within.length, found]).toEqual([240, new Set([`base ${base}`, `left ${left}`, `right ${right}`])]);
});

describe('objects', () => {
  it('have the same id for the same words, and moves nothing', async () => {
    await using repo = await gitRepo();
    const head = (await resolve(repo, 'main'))!;
    expect(await child(repo, head, 'ünïcode\n')).toBe(await child(repo, head, 'ünïcode\n'));
    expect(await resolve(repo, 'main')).toBe(head);
    expect(await isAncestor(repo, head, await child(repo, head, 'x'))).toBe(true);
    expect(await isAncestor(repo, await child(repo, head, 'x'), head)).toBe(false);
  });

  it('differ by the paths of both sides of a rename', async () => {
    await using repo = await gitRepo();
    const before = (await resolve(repo, 'main'))!;
    repo.sh(['mv', 'src/a.txt', 'src/b ü.txt']);
    const after = repo.commit('rename');
    expect((await diffPaths(repo, before, after)).sort()).toEqual(['src/a.txt', 'src/b ü.txt']);
    expect(await resolve(repo, '--all')).toBeUndefined();
    expect(await resolve(repo, 'no-such-branch')).toBeUndefined();
  });
});

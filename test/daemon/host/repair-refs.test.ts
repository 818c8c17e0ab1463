import { mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import type { Report } from '../../../src/daemon/farm/report.ts';
import type { Host } from '../../../src/daemon/host/host.ts';
import { repairRefs } from '../../../src/daemon/host/repair-refs.ts';
import { storeReport, tornHead } from '../../../src/daemon/leader/store-report.ts';
import { eventsAfter } from '../../../src/journal/event.ts';
import { commitTree, writeBlob } from '../../../src/platform/git/objects.ts';
import { createRef, listRefs, treeOf } from '../../../src/platform/git/refs.ts';
import { git } from '../../../src/platform/git/run.ts';
import { openQuestions } from '../../../src/work/question/store.ts';
import { gitRepo } from '../../platform/git/repo.ts';
import { newStore } from '../../support/store.ts';
import { leaderAnswersOn } from './leader-answers-on.ts';

/** A look for refs that lost their commits, in a real repository with a clock that is moved by hand. */
async function looking() {
  const repo = await gitRepo();
  const store = await newStore();
  const time = { awake: 1000 };
  const doubts = { objects: true };
  const told = { heads: 0 };
  const clock = { now: () => time.awake, awake: () => time.awake };
  const report = (one: Report) => storeReport({ db: store.db, clock }, one);
  const farm = { repo, leader: leaderAnswersOn(store.db, { clock }), clock, doubts, report, wake() {}, target: 'main' } as unknown as Host;
  const keep = async (ref: string) => {
    const who = { name: 'Ada', email: 'ada@example.org' };
    const commit = { tree: await treeOf(repo, 'main'), parents: [], message: `${ref}\n`, author: who, committer: who, at: 0 };
    const oid = await commitTree(repo, commit);
    await createRef(repo, ref, oid);
    return oid;
  };
  return {
    ...{ repo, store, time, doubts, told, keep },
    look: repairRefs(farm, () => told.heads++),
    lose: async (ref: string) => {
      const oid = await keep(ref);
      rmSync(join(repo.gitDir, 'objects', oid.slice(0, 2), oid.slice(2)));
    },
    /** A ref whose commit stays, and one file of it goes. */
    tear: async (ref: string) => {
      const blob = await writeBlob(repo, `${ref}\n`);
      const tree = await git(repo, ['mktree'], { input: `100644 blob ${blob}\ttorn.txt\n` });
      const oid = repo.sh(['commit-tree', '-p', 'main', '-m', ref, tree.trim()]);
      await createRef(repo, ref, oid);
      rmSync(join(repo.gitDir, 'objects', blob.slice(0, 2), blob.slice(2)));
      return oid;
    },
    left: async () => (await listRefs(repo, 'refs/furrow/')).map(({ ref }) => ref),
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await repo[Symbol.asyncDispose]();
    },
  };
}

it('a bare git prune that takes the commit of a ref is noticed, though it writes no pack', async () => {
  await using it = await looking();
  const ref = 'refs/furrow/pin/p/1/1';
  const oid = await it.keep(ref);
  await it.look();
  // The prune looked at the refs before this one was there.
  it.repo.sh(['update-ref', '--no-deref', '-d', ref]);
  it.repo.sh(['prune', '--expire=now']);
  mkdirSync(dirname(join(it.repo.gitDir, ref)), { recursive: true });
  writeFileSync(join(it.repo.gitDir, ref), `${oid}\n`);
  for (let n = 0; n < 13; n++) {
    it.time.awake += 1000;
    await it.look();
  }
  expect(await it.left()).toEqual([]);
  expect(await openQuestions(it.store.db)).toMatchObject([{ kind: 'lost', subject: ref }]);
});

it('a person who types a failing gc again and again does not put the look off', async () => {
  await using own = await looking();
  const { repo, time, look, lose, left } = own;
  await look();
  await lose('refs/furrow/check/one');
  const packs = join(repo.gitDir, 'objects/pack');
  mkdirSync(packs, { recursive: true });
  for (let n = 1; n <= 4; n++) {
    // Each one writes a pack, and takes it back when it fails.
    utimesSync(packs, 1, 1000 + n);
    time.awake += 1000;
    await look();
  }
  expect(await left()).toEqual([]);
});

it('refs whose commits are gone go away by themselves: after a gc, and when a git failed for want of an object', async () => {
  await using own = await looking();
  const { repo, store, time, doubts, told, look, lose, left } = own;

  await lose('refs/furrow/check/one');
  await look();
  expect(await left()).toEqual([]);
  expect(await openQuestions(store.db)).toEqual([]);

  // Nothing happened since: no git is asked.
  await lose('refs/furrow/pin/p/1/1');
  await look();
  expect(await left()).toEqual(['refs/furrow/pin/p/1/1']);
  const packs = join(repo.gitDir, 'objects/pack');
  mkdirSync(packs, { recursive: true });
  utimesSync(packs, 1, statSync(packs).mtimeMs / 1000 + 5);
  await look();
  time.awake += 2000;
  await look();
  expect(await left()).toEqual([]);
  expect(await openQuestions(store.db)).toMatchObject([{ kind: 'lost', subject: 'refs/furrow/pin/p/1/1' }]);

  // The head is the leader's: it knows what had landed there.
  await lose('refs/furrow/head/main');
  doubts.objects = true;
  await look();
  expect(told.heads).toBe(1);
  expect(await left()).toEqual(['refs/furrow/head/main']);
  const dropped = (await eventsAfter(store.db, 0, 100)).filter(({ kind }) => kind === 'ref.dropped');
  expect(dropped.map(({ data }) => JSON.parse(data).ref)).toEqual(['refs/furrow/check/one', 'refs/furrow/pin/p/1/1']);
});

it('an index of ours that names a tree which a prune took is mended, and told', async () => {
  await using own = await looking();
  const { repo, store, doubts, look } = own;
  const path = join(repo.places.worktrees, 'default', 'ada');
  mkdirSync(dirname(path), { recursive: true });
  repo.sh(['worktree', 'add', '-q', '-b', 'furrow/default/ada/1', path]);
  writeFileSync(join(path, 'new.txt'), 'new\n');
  repo.sh(['add', '-A'], path);
  const tree = repo.sh(['write-tree'], path);
  rmSync(join(repo.gitDir, 'objects', tree.slice(0, 2), tree.slice(2)));
  doubts.objects = true;
  await look();
  repo.sh(['gc', '-q', '--prune=now']);
  const told = (await eventsAfter(store.db, 0, 100)).filter(({ kind }) => kind === 'index.mended');
  expect(told.map(({ data }) => JSON.parse(data))).toMatchObject([{ path, restored: [], unstaged: [] }]);
});

it('of refs that are torn, those that are made when they are wanted go, and the head is told to the leader', async () => {
  await using own = await looking();
  const { repo, store, told, look, tear, left } = own;
  await tear('refs/furrow/check/one');
  await tear('refs/furrow/pin/unpublished/one');
  const head = await tear('refs/furrow/head/main');
  await look();
  expect(await left()).toEqual(['refs/furrow/head/main']);
  expect(told.heads).toBe(1);
  expect(await tornHead(store.db, 'main')).toBe(head);
  expect(await openQuestions(store.db)).toEqual([]);
  repo.sh(['update-ref', 'refs/furrow/head/main', 'main']);
  repo.sh(['gc', '-q', '--prune=now']);
});

it('a slot that is at a commit which is torn or gone is put at the target', async () => {
  await using own = await looking();
  const { repo, look, tear, lose } = own;
  for (const [slot, spoil] of [
    ['1', tear],
    ['2', lose],
  ] as const) {
    const path = join(repo.places.slots, slot);
    mkdirSync(dirname(path), { recursive: true });
    repo.sh(['worktree', 'add', '-q', '--detach', path]);
    await spoil(`refs/furrow/check/${slot}`);
    const oid = repo.sh(['for-each-ref', '--format=%(objectname)', `refs/furrow/check/${slot}`]);
    writeFileSync(join(repo.gitDir, 'worktrees', slot, 'HEAD'), `${oid}\n`);
  }
  expect(() => repo.sh(['gc', '-q', '--prune=now'])).toThrow();
  await look();
  repo.sh(['gc', '-q', '--prune=now']);
  for (const slot of ['1', '2']) expect(repo.sh(['rev-parse', 'HEAD'], join(repo.places.slots, slot))).toBe(repo.sh(['rev-parse', 'main']));
});

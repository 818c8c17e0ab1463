import { mkdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Host } from '../../src/host/host.ts';
import { wholeRefs } from '../../src/host/whole-refs.ts';
import { eventsAfter } from '../../src/journal/event.ts';
import { commitTree } from '../../src/platform/git/objects.ts';
import { createRef, listRefs, treeOf } from '../../src/platform/git/refs.ts';
import { openQuestions } from '../../src/question/store.ts';
import { gitRepo } from '../git/repo.ts';
import { newStore } from '../support/store.ts';

it('refs whose commits are gone go away by themselves: after a gc, and when a git failed for want of an object', async () => {
  await using repo = await gitRepo();
  await using store = await newStore();
  const time = { awake: 1000 };
  const doubts = { objects: true };
  let heads = 0;
  const clock = { now: () => time.awake, awake: () => time.awake };
  const farm = { repo, db: store.db, clock, doubts, wake() {} } as unknown as Host;
  const look = wholeRefs(farm, () => heads++);
  const lose = async (ref: string) => {
    const who = { name: 'Ada', email: 'ada@example.org' };
    const commit = { tree: await treeOf(repo, 'main'), parents: [], message: `${ref}\n`, author: who, committer: who, at: 0 };
    const oid = await commitTree(repo, commit);
    await createRef(repo, ref, oid);
    rmSync(join(repo.gitDir, 'objects', oid.slice(0, 2), oid.slice(2)));
  };
  const left = async () => (await listRefs(repo, 'refs/furrow/')).map(({ ref }) => ref);

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
  expect(heads).toBe(1);
  expect(await left()).toEqual(['refs/furrow/head/main']);
  const dropped = (await eventsAfter(store.db, 0, 100)).filter(({ kind }) => kind === 'ref.dropped');
  expect(dropped.map(({ data }) => JSON.parse(data).ref)).toEqual(['refs/furrow/check/one', 'refs/furrow/pin/p/1/1']);
});

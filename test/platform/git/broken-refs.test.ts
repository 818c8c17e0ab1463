import { existsSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { brokenRefs, dropRefs, ownRefs } from '../../../src/platform/git/broken-refs.ts';
import { commitTree } from '../../../src/platform/git/objects.ts';
import { createRef, listRefs, moveRef, resolve, setRef, treeOf } from '../../../src/platform/git/refs.ts';
import { gitRepo, type TestRepo } from './repo.ts';

const ada = { name: 'Ada', email: 'ada@example.org' };

async function child(repo: TestRepo, message: string): Promise<string> {
  const tree = await treeOf(repo, 'main');
  return commitTree(repo, { tree, parents: [repo.sh(['rev-parse', 'main'])], message, author: ada, committer: ada, at: 0 });
}

const fileOf = (repo: TestRepo, oid: string) => join(repo.gitDir, 'objects', oid.slice(0, 2), oid.slice(2));

/** A commit that a ref was given while a gc was about to remove it. */
async function lose(repo: TestRepo, ref: string): Promise<string> {
  const oid = await child(repo, ref);
  await createRef(repo, ref, oid);
  rmSync(fileOf(repo, oid));
  return oid;
}

it.each([false, true])('a ref whose commit is gone takes another one, packed: %s', async (packed) => {
  await using repo = await gitRepo();
  const [check, pin] = ['refs/furrow/check/one', 'refs/furrow/pin/p/1/1'];
  for (const ref of [check, pin]) await lose(repo, ref);
  if (packed) {
    const lines = (await listRefs(repo, 'refs/'))
      .map(({ ref, oid }) => `${oid} ${ref}\n`)
      .sort((a, b) => (a.slice(41) < b.slice(41) ? -1 : 1));
    for (const ref of [check, pin]) unlinkSync(join(repo.gitDir, ref));
    writeFileSync(join(repo.gitDir, 'packed-refs'), `# pack-refs with: sorted \n${lines.join('')}`);
  }
  const next = await child(repo, 'next');
  await setRef(repo, check, next);
  await createRef(repo, pin, next);
  expect(await Promise.all([check, pin].map((ref) => resolve(repo, ref)))).toEqual([next, next]);
});

it('refs whose objects are gone are found and taken away, those that held work are named, and the person’s gc works again', async () => {
  await using repo = await gitRepo();
  const check = await lose(repo, 'refs/furrow/check/one');
  const conflict = await lose(repo, 'refs/furrow/conflict/p/1');
  const pin = await lose(repo, 'refs/furrow/pin/p/1/1');
  const head = await lose(repo, 'refs/furrow/head/main');
  await createRef(repo, 'refs/furrow/pin/p/2/1', await child(repo, 'whole'));
  expect(() => repo.sh(['gc', '-q'])).toThrow();
  const broken = await brokenRefs(repo, await ownRefs(repo));
  expect(broken.map(({ oid }) => oid).sort()).toEqual([check, conflict, pin, head].sort());
  expect(await dropRefs(repo, broken)).toEqual({
    remade: [
      { ref: 'refs/furrow/check/one', oid: check },
      { ref: 'refs/furrow/conflict/p/1', oid: conflict },
    ],
    lost: [{ ref: 'refs/furrow/pin/p/1/1', oid: pin }],
  });
  expect((await listRefs(repo, 'refs/furrow/')).map(({ ref }) => ref)).toEqual(['refs/furrow/head/main', 'refs/furrow/pin/p/2/1']);
  await setRef(repo, 'refs/furrow/head/main', repo.sh(['rev-parse', 'main']));
  repo.sh(['gc', '-q', '--prune=now']);
  expect(await brokenRefs(repo, await ownRefs(repo))).toEqual([]);
});

it.each([true, false])('a ref that is given while a gc runs is waited for; the gc took its commit: %s', async (takes) => {
  await using repo = await gitRepo();
  const ref = 'refs/furrow/head/main';
  const from = repo.sh(['rev-parse', 'main']);
  await createRef(repo, ref, from);
  const to = await child(repo, 'landing');
  const gc = join(repo.gitDir, 'gc.pid');
  writeFileSync(gc, `${process.pid} here\n`);
  const moving = moveRef(repo, { ref, to, from }).then(
    () => 'moved',
    (error: Error) => error.message,
  );
  await expect.poll(() => repo.sh(['for-each-ref', '--format=%(objectname)', ref])).toBe(to);
  if (takes) rmSync(fileOf(repo, to));
  unlinkSync(gc);
  expect(await moving).toMatch(takes ? /git gc took .*it is made again/ : 'moved');
  expect(repo.sh(['rev-parse', ref])).toBe(takes ? from : to);
  // One that a killed gc left says nothing.
  writeFileSync(gc, '999999999 here\n');
  await setRef(repo, ref, await child(repo, 'next'));
  expect(existsSync(gc)).toBe(true);
});

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Adopted, type AdoptOptions, adopt, asAdopted } from '../../../src/repo/merge/adopt.ts';
import { nextEpoch } from '../../../src/repo/merge/epoch.ts';
import { headRef } from '../../../src/repo/merge/target-refs.ts';
import { TestRepo } from './repo.ts';

const ref = headRef('main');

async function farm() {
  const repo = new TestRepo();
  const epoch = await nextEpoch(repo);
  const start = repo.git('rev-parse', 'HEAD');
  const stored: Adopted[] = [];
  const foreign: string[] = [];
  const chain = { head: undefined as string | undefined, landings: new Map<string, { published: boolean }>() };
  const options: AdoptOptions = {
    epoch,
    known: async () => ({ ...chain }),
    store: async (adopted) => {
      stored.push(adopted);
      chain.head = adopted.head;
    },
    foreign: async ({ at }) => void foreign.push(at),
  };
  const look = async () => {
    const { head, moved } = await adopt(repo, 'main', options);
    return { head, moved };
  };
  const land = (on: string, files: Record<string, string>, published = false) => {
    const commit = repo.commitOn(on, files, 'land');
    repo.git('update-ref', ref, commit);
    chain.head = commit;
    chain.landings.set(commit, { published });
    return commit;
  };
  const user = (oid: string) => repo.git('update-ref', 'refs/heads/main', oid);
  return { repo, epoch, start, stored, foreign, chain, options, look, land, user };
}

describe('adopting the target', () => {
  it('begins at the branch, follows commits on top, and waits where landings are unpublished', async () => {
    const { repo, start, look, land, user } = await farm();
    using _ = repo;
    expect(await look()).toEqual({ head: start, moved: 'created' });
    expect(await look()).toEqual({ head: start, moved: 'none' });
    const mine = repo.commitOn(start, { 'b.txt': 'mine\n' });
    user(mine);
    expect(await look()).toEqual({ head: mine, moved: 'followed' });
    const landed = land(mine, { x: '1' });
    expect(await look()).toEqual({ head: landed, moved: 'none' });
    const onTop = repo.commitOn(landed, { y: '1' });
    user(onTop);
    expect(await look()).toEqual({ head: onTop, moved: 'followed' });
    expect(repo.git('rev-parse', ref)).toBe(onTop);
  });

  it('begins again at the branch when git lost the head, and queues again what was not published', async () => {
    const { repo, start, stored, look, land, user } = await farm();
    using _ = repo;
    await look();
    const first = land(start, { x: '1' }, true);
    user(first);
    const second = land(first, { y: '1' });
    const third = land(second, { z: '1' });
    rmSync(join(repo.gitDir, 'objects', third.slice(0, 2), third.slice(2)));
    expect(await look()).toEqual({ head: first, moved: 'created' });
    expect(stored.at(-1)).toMatchObject({ lost: third, requeue: [second, third], removed: [] });
    expect(repo.git('rev-parse', ref, `refs/furrow/pin/unpublished/${second}`)).toBe(`${first}\n${second}`);
    expect(await look()).toEqual({ head: first, moved: 'none' });
  });

  it('begins again at the branch when the head is there and something behind it is not', async () => {
    const { repo, start, stored, chain, look, land, user } = await farm();
    using _ = repo;
    await look();
    const first = land(start, { x: '1' }, true);
    user(first);
    const second = land(first, { y: '1' });
    const third = land(second, { 'deep/z': '1' });
    const tree = repo.git('rev-parse', `${third}:deep`);
    rmSync(join(repo.gitDir, 'objects', tree.slice(0, 2), tree.slice(2)));
    Object.assign(chain, { torn: third });
    expect(await asAdopted(repo, 'main', chain)).toBeUndefined();
    expect(await look()).toEqual({ head: first, moved: 'created' });
    expect(stored.at(-1)).toMatchObject({ lost: third, requeue: [second, third], removed: [] });
    // What is torn is held by nothing any more, and the person's clean-up works.
    expect(repo.git('for-each-ref', '--format=%(refname)', 'refs/furrow/pin/')).toBe(`refs/furrow/pin/unpublished/${second}`);
    repo.git('update-ref', '-d', 'refs/test/scratch');
    repo.git('gc', '-q', '--prune=now');
    expect(await look()).toEqual({ head: first, moved: 'none' });
  });

  it('does not queue again what is on the branch, though the store does not know yet', async () => {
    const { repo, start, stored, chain, look, land, user } = await farm();
    using _ = repo;
    await look();
    const first = land(start, { x: '1' });
    user(first);
    const second = land(first, { y: '1' });
    Object.assign(chain, { torn: second });
    await look();
    expect(stored.at(-1)).toMatchObject({ lost: second, requeue: [second] });
  });

  it('lets the user win when they committed beside unpublished landings, which are kept and queued again in order', async () => {
    const { repo, start, stored, look, land, user } = await farm();
    using _ = repo;
    await look();
    const first = land(start, { x: '1' });
    const second = land(first, { y: '1' });
    const mine = repo.commitOn(start, { 'b.txt': 'mine\n' });
    user(mine);
    expect(await look()).toEqual({ head: mine, moved: 'diverged' });
    expect(stored.at(-1)).toMatchObject({ from: second, requeue: [first, second], removed: [] });
    expect(repo.git('rev-parse', ref, `refs/furrow/pin/diverged/${second}`)).toBe(`${mine}\n${second}`);
    expect(await look()).toEqual({ head: mine, moved: 'none' });
  });

  it('stores before the head moves, so that a crash in between forgets nothing', async () => {
    const { repo, start, stored, options, look, land, user } = await farm();
    using _ = repo;
    await look();
    const landed = land(start, { x: '1' });
    user(repo.commitOn(start, { 'b.txt': 'mine\n' }));
    const store = async () => {
      throw new Error('kill -9');
    };
    await expect(adopt(repo, 'main', { ...options, store })).rejects.toThrow('kill -9');
    expect(repo.git('rev-parse', ref)).toBe(landed);
    expect(await look()).toMatchObject({ moved: 'diverged' });
    expect(stored.at(-1)).toMatchObject({ requeue: [landed] });
  });

  it('finishes a move of the head that a crash kept from following the store, without blaming anybody', async () => {
    const { repo, start, foreign, chain, look, user } = await farm();
    using _ = repo;
    await look();
    const mine = repo.commitOn(start, { 'b.txt': 'mine\n' });
    user(mine);
    chain.head = mine;
    expect(await look()).toEqual({ head: mine, moved: 'none' });
    expect([repo.git('rev-parse', ref), foreign]).toEqual([mine, []]);
  });

  it('takes a branch that the user moved back at their word, and brings nothing back that they took out', async () => {
    const { repo, start, stored, look, land, user } = await farm();
    using _ = repo;
    await look();
    const published = land(start, { x: '1' });
    user(published);
    await look();
    const waiting = land(published, { y: '1' });
    user(start);
    expect(await look()).toEqual({ head: start, moved: 'diverged' });
    expect(stored.at(-1)).toMatchObject({ from: waiting, requeue: [waiting], removed: [published] });
  });

  it('does not publish a commit of the user that they took back, although a crash came before it was noted as seen', async () => {
    const { repo, start, stored, look, user } = await farm();
    using _ = repo;
    await look();
    const mine = repo.commitOn(start, { 'b.txt': 'mine\n' });
    user(mine);
    await look();
    repo.git('update-ref', 'refs/furrow/seen/main', start);
    user(start);
    expect(await look()).toEqual({ head: start, moved: 'diverged' });
    expect(stored.at(-1)).toMatchObject({ from: mine, requeue: [], removed: [] });
  });

  it('knows by the store what was published, when nobody looked at the branch in between', async () => {
    const { repo, start, stored, look, land, user } = await farm();
    using _ = repo;
    await look();
    land(start, { x: '1' }, true);
    user(start);
    expect(await look()).toEqual({ head: start, moved: 'diverged' });
    expect(stored.at(-1)).toMatchObject({ requeue: [], removed: [expect.any(String)] });
  });

  it.each(['another commit', 'an older landing', 'nothing'])('puts the head back that somebody moved to %s', async (where) => {
    const { repo, start, foreign, look, land } = await farm();
    using _ = repo;
    await look();
    const first = land(start, { x: '1' });
    const head = land(first, { y: '1' });
    const planted = repo.commitOn(head, { evil: '1' });
    if (where === 'nothing') repo.git('update-ref', '-d', ref);
    else repo.git('update-ref', ref, where === 'another commit' ? planted : first);
    expect(await look()).toEqual({ head, moved: 'none' });
    expect(repo.git('rev-parse', ref)).toBe(head);
    expect(foreign).toEqual(where === 'another commit' ? [planted] : []);
    if (where === 'another commit') expect(repo.git('rev-parse', `refs/furrow/pin/foreign/${planted}`)).toBe(planted);
  });

  it('refuses without the branch, and with a stale epoch', async () => {
    const { repo, start, look, user } = await farm();
    using _ = repo;
    await look();
    user(repo.commitOn(start, { x: '1' }));
    await nextEpoch(repo);
    await expect(look()).rejects.toMatchObject({ code: 'STALE_EPOCH' });
    repo.git('checkout', '-q', '--detach');
    repo.git('branch', '-q', '-D', 'main');
    await expect(look()).rejects.toMatchObject({ code: 'TARGET_MISSING', hint: expect.stringContaining('git branch main') });
  });
});

describe('the target is as it was adopted', () => {
  /** A start, a landing that is published and one that is not; the branch is at the first. */
  async function published() {
    const at = await farm();
    await at.look();
    const first = at.land(at.start, { x: '1' }, true);
    const second = at.land(first, { y: '1' });
    at.user(first);
    return { ...at, first, second, found: () => asAdopted(at.repo, 'main', at.chain) };
  }

  it('where furrow put it, noted or not, and where it was left: the same answer as a look that moves nothing', async () => {
    const { repo, start, first, second, found, look, land, user } = await published();
    using _ = repo;
    expect(repo.git('rev-parse', 'refs/furrow/seen/main')).toBe(start);
    expect(await found()).toEqual({ head: second, user: first });
    expect(repo.git('rev-parse', 'refs/furrow/seen/main')).toBe(start);
    expect(await look()).toEqual({ head: second, moved: 'none' });
    expect(await found()).toEqual({ head: second, user: first });
    user(second);
    expect(await found()).toEqual({ head: second, user: second });
    const mine = repo.commitOn(second, { 'b.txt': 'mine\n' });
    user(mine);
    await look();
    const third = land(mine, { z: '1' });
    expect(await found()).toEqual({ head: third, user: mine });
  });

  it.each<[string, (at: Awaited<ReturnType<typeof published>>) => unknown]>([
    ['a landing was taken out, back to where it was last seen', ({ user, start }) => user(start)],
    ['the person committed', ({ user, repo, second }) => user(repo.commitOn(second, { 'b.txt': 'mine\n' }))],
    ['the person committed beside', ({ user, repo, first }) => user(repo.commitOn(first, { 'b.txt': 'mine\n' }))],
    ['the branch is gone', ({ repo }) => repo.git('update-ref', '-d', 'refs/heads/main')],
    ['the head is gone', ({ repo }) => repo.git('update-ref', '-d', ref)],
    ['the head was moved back', ({ repo, first }) => repo.git('update-ref', ref, first)],
    ['the head was moved on', ({ repo, second }) => repo.git('update-ref', ref, repo.commitOn(second, { q: '1' }))],
    ['the store is of a time before', ({ chain, first }) => Object.assign(chain, { head: first })],
  ])('and not when %s', async (_name, change) => {
    const at = await published();
    using _ = at.repo;
    expect(await at.found()).toBeDefined();
    change(at);
    expect(await at.found()).toBeUndefined();
  });
});

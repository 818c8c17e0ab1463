import { describe, expect, it } from 'vitest';
import { adopt } from '../../src/merge/adopt.ts';
import { nextEpoch } from '../../src/merge/epoch.ts';
import { headRef } from '../../src/merge/land.ts';
import { TestRepo } from './repo.ts';

const ref = headRef('main');

async function farm() {
  const repo = new TestRepo();
  const epoch = await nextEpoch(repo);
  const start = repo.git('rev-parse', 'HEAD');
  const requeued: string[] = [];
  const look = () => adopt(repo, 'main', { epoch, requeue: async (landings) => void requeued.push(...landings) });
  const land = (on: string, files: Record<string, string>) => {
    const commit = repo.commitOn(on, files, 'land');
    repo.git('update-ref', ref, commit);
    return commit;
  };
  const user = (oid: string) => repo.git('update-ref', 'refs/heads/main', oid);
  return { repo, epoch, start, requeued, look, land, user };
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

  it('lets the user win when they committed beside unpublished landings, which are kept and queued again in order', async () => {
    const { repo, start, requeued, look, land, user } = await farm();
    using _ = repo;
    await look();
    const first = land(start, { x: '1' });
    const second = land(first, { y: '1' });
    const mine = repo.commitOn(start, { 'b.txt': 'mine\n' });
    user(mine);
    expect(await look()).toEqual({ head: mine, moved: 'diverged', requeue: { from: second, landings: [first, second] } });
    expect(requeued).toEqual([first, second]);
    expect(repo.git('rev-parse', ref, `refs/furrow/pin/diverged/${second}`)).toBe(`${mine}\n${second}`);
    expect(await look()).toEqual({ head: mine, moved: 'none' });
  });

  it('queues again before the head moves, so that a crash in between forgets nothing', async () => {
    const { repo, epoch, start, look, land, user } = await farm();
    using _ = repo;
    await look();
    const landed = land(start, { x: '1' });
    user(repo.commitOn(start, { 'b.txt': 'mine\n' }));
    const dies = async () => {
      throw new Error('kill -9');
    };
    await expect(adopt(repo, 'main', { epoch, requeue: dies })).rejects.toThrow('kill -9');
    expect(repo.git('rev-parse', ref)).toBe(landed);
    expect(await look()).toMatchObject({ moved: 'diverged', requeue: { landings: [landed] } });
  });

  it('takes a branch that the user moved back at their word, and brings nothing back that they took out', async () => {
    const { repo, start, requeued, look, land, user } = await farm();
    using _ = repo;
    await look();
    const published = land(start, { x: '1' });
    user(published);
    await look();
    const waiting = land(published, { y: '1' });
    user(start);
    expect(await look()).toEqual({ head: start, moved: 'diverged', requeue: { from: waiting, landings: [waiting] } });
    expect(requeued).toEqual([waiting]);
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

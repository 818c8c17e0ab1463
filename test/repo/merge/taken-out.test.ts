import { describe, expect, it } from 'vitest';
import { bringsBack, takenOut } from '../../../src/repo/merge/taken-out.ts';
import { lines, TestRepo } from './repo.ts';

/** A repository where `before` was the head of a target until a person moved it to `head`. */
async function moved(move: (repo: TestRepo, start: string) => { before: string; head: string }) {
  const repo = new TestRepo();
  const start = repo.git('rev-parse', 'HEAD');
  const { before, head } = move(repo, start);
  repo.git('update-ref', `refs/furrow/pin/diverged/${before}`, before);
  return { repo, before, head, out: await takenOut(repo, head), [Symbol.dispose]: () => repo[Symbol.dispose]() };
}

describe('work that began on a commit which a person took out', () => {
  it('would bring it back, and that commit is named', async () => {
    using at = await moved((repo, start) => ({ before: repo.commitOn(start, { 'extra.txt': 'x' }, 'an extra'), head: start }));
    const work = at.repo.commitOn(at.before, { 'work.txt': 'w' });
    expect(await bringsBack(at.repo, at.head, work, at.out)).toEqual({ commit: at.before, subject: 'an extra' });
  });

  it('would bring back what an amended commit left out', async () => {
    using at = await moved((repo, start) => ({
      before: repo.commitOn(start, { 'extra.txt': 'x', 'too-much.txt': 'y' }, 'an extra'),
      head: repo.commitOn(start, { 'extra.txt': 'x' }, 'an extra'),
    }));
    const work = at.repo.commitOn(at.before, { 'work.txt': 'w' });
    expect(await bringsBack(at.repo, at.head, work, at.out)).toMatchObject({ commit: at.before });
  });

  it('brings nothing back when the commit was only put another way', async () => {
    using at = await moved((repo, start) => {
      const other = repo.commitOn(start, { 'before.txt': 'b' }, 'put in before');
      return {
        before: repo.commitOn(start, { 'extra.txt': 'x' }, 'an extra'),
        head: repo.commitOn(other, { 'extra.txt': 'x' }, 'new words'),
      };
    });
    const work = at.repo.commitOn(at.before, { 'work.txt': 'w' });
    expect(at.out.has(at.before)).toBe(true);
    expect(await bringsBack(at.repo, at.head, work, at.out)).toBeUndefined();
  });

  it('that does not merge is left to be told of as a conflict', async () => {
    using at = await moved((repo, start) => ({
      before: repo.commitOn(start, { 'a.txt': lines('x') }, 'all of it'),
      head: repo.commitOn(start, { 'a.txt': lines('y') }, 'otherwise'),
    }));
    const work = at.repo.commitOn(at.before, { 'work.txt': 'w' });
    expect(await bringsBack(at.repo, at.head, work, at.out)).toBeUndefined();
  });
});

it('landings are not among the commits that a person took out, nor what is in the head', async () => {
  using at = await moved((repo, start) => {
    const landing = repo.commitOn(start, { 'one.txt': '1' }, 'land 1\n\nFurrow-Task: 1\n');
    return { before: repo.commitOn(landing, { 'extra.txt': 'x' }, 'an extra'), head: start };
  });
  expect([...at.out.values()]).toEqual([{ commit: at.before, subject: 'an extra' }]);
  expect(await takenOut(at.repo, at.before)).toEqual(new Map());
  const beside = at.repo.commitOn(at.head, { 'work.txt': 'w' });
  expect(await bringsBack(at.repo, at.head, beside, at.out)).toBeUndefined();
});

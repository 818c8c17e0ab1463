import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { brokenObjects } from '../../../src/platform/git/broken-objects.ts';
import { git } from '../../../src/platform/git/run.ts';
import { gitRepo, type TestRepo } from './repo.ts';

/** A commit on top of HEAD with a tree of one entry, whatever it is called. */
async function commitOf(repo: TestRepo, name: string): Promise<string> {
  const blob = await git(repo, ['hash-object', '-w', '--stdin'], { input: 'x' });
  const entry = Buffer.concat([Buffer.from(`100644 ${name}\0`), Buffer.from(blob.trim(), 'hex')]);
  const tree = await git(repo, ['hash-object', '-t', 'tree', '-w', '--stdin', '--literally'], { input: entry });
  return repo.sh(['commit-tree', '-m', 'x', '-p', 'HEAD', tree.trim()]);
}

describe('the objects that a commit brings', () => {
  it('are whole in ordinary work, and the look leaves nothing in the repository', async () => {
    await using repo = await gitRepo();
    const base = repo.sh(['rev-parse', 'HEAD']);
    repo.write('b.txt', 'b\n');
    const tip = repo.commit('b');
    const before = readdirSync(join(repo.gitDir, 'objects'));
    expect(await brokenObjects(repo, tip, [base])).toBeUndefined();
    expect(readdirSync(join(repo.gitDir, 'objects'))).toEqual(before);
  });

  it.each(['.git', '..', 'a/b'])('are refused when a tree has an entry %j', async (name) => {
    await using repo = await gitRepo();
    expect(await brokenObjects(repo, await commitOf(repo, name), [repo.sh(['rev-parse', 'HEAD'])])).toMatch(/index-pack.*object/);
  });

  it('are refused when one of them is not there', async () => {
    await using repo = await gitRepo();
    const base = repo.sh(['rev-parse', 'HEAD']);
    repo.write('b.txt', 'b\n');
    const tip = repo.commit('b');
    const blob = repo.sh(['rev-parse', 'HEAD:b.txt']);
    rmSync(join(repo.gitDir, 'objects', blob.slice(0, 2), blob.slice(2)));
    expect(await brokenObjects(repo, tip, [base])).toMatch(/pack-objects/);
  });

  it('are not blamed for trouble of the machine', async () => {
    await using repo = await gitRepo();
    const pack = join(repo.gitDir, 'objects', 'pack');
    rmSync(pack, { recursive: true });
    writeFileSync(pack, 'in the way');
    await expect(brokenObjects(repo, repo.sh(['rev-parse', 'HEAD']), [])).rejects.toThrow(/pack-objects/);
  });
});

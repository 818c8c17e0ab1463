import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nextEpoch } from '../../src/merge/epoch.ts';
import { publish } from '../../src/merge/publish.ts';
import { TestRepo } from './repo.ts';

async function published(repo: TestRepo, files: Record<string, string | null>) {
  const old = repo.git('rev-parse', 'main');
  return publish(repo, 'main', { old, new: repo.commitOn(old, files), epoch: await nextEpoch(repo) });
}

describe('publishing with a configured filter', () => {
  it('does not wait when no changed path has the filter', async () => {
    using repo = new TestRepo();
    repo.git('config', 'filter.big.smudge', 'cat');
    repo.write({ 'info/attributes': '*.bin filter=big\n' }, repo.gitDir);
    expect(await published(repo, { 'n.txt': 'landed\n' })).toEqual({ published: true });
    expect(existsSync(join(repo.root, 'n.txt'))).toBe(true);
    expect(repo.git('status', '--porcelain')).toBe('');
  });
});

import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeBlob } from '../../../src/platform/git/objects.ts';
import { moveRef } from '../../../src/platform/git/refs.ts';
import { EPOCH, nextEpoch, restoreEpoch } from '../../../src/repo/merge/epoch.ts';
import { TestRepo } from './repo.ts';

const put = async (repo: TestRepo, text: string) => void repo.git('update-ref', EPOCH, await writeBlob(repo, text));

/** Ways in which somebody with the person's own rights can overwrite the epoch. */
const overwritten: [how: string, does: (repo: TestRepo, file: string) => unknown][] = [
  ['a commit', (repo) => repo.git('update-ref', EPOCH, repo.commitOn('HEAD', { x: 'work of an agent\n' }))],
  ['another blob', (repo) => put(repo, 'hello\n')],
  ['a number that leaves no room', (repo) => put(repo, `furrow epoch ${Number.MAX_SAFE_INTEGER} abc\n`)],
  ['an object that is not there', (_, file) => writeFileSync(file, `${'a'.repeat(40)}\n`)],
  ['a symbolic ref', (repo) => repo.git('symbolic-ref', EPOCH, 'refs/heads/main')],
  ['a named pipe', (_, file) => execFileSync('sh', ['-c', `rm ${file} && mkfifo ${file}`])],
  ['a link', (repo, file) => [rmSync(file), symlinkSync(join(repo.root, 'victim'), file)]],
  ['garbage', (_, file) => writeFileSync(file, 'x')],
  [
    'a folder of refs',
    (repo, file) => [rmSync(file), mkdirSync(file), writeFileSync(join(file, 'x'), `${repo.commitOn('HEAD', { y: '1' })}\n`)],
  ],
];

describe.each(overwritten)('an epoch that was overwritten with %s', (_, overwrite) => {
  it('is made again by the daemon that has it, and the one before stays out', async () => {
    using repo = new TestRepo();
    const before = await nextEpoch(repo);
    const epoch = await nextEpoch(repo);
    await overwrite(repo, join(repo.gitDir, EPOCH));
    expect(await restoreEpoch(repo, epoch)).toBe('restored');
    expect(await restoreEpoch(repo, epoch)).toBe('there');
    expect(await restoreEpoch(repo, before)).toBe('replaced');
    await refuses(repo, before);
  });

  it('is replaced at the next start, which says so, and everybody before stays out', async () => {
    using repo = new TestRepo();
    const epoch = await nextEpoch(repo);
    await overwrite(repo, join(repo.gitDir, EPOCH));
    const told: string[] = [];
    const next = await nextEpoch(repo, epoch.n, async (what) => void told.push(what));
    expect(next.n).toBe(epoch.n + 1);
    expect(told).toHaveLength(1);
    await refuses(repo, epoch);
    // No commit that was put there is lost.
    expect(repo.git('fsck', '--unreachable', '--no-reflogs', '--no-progress')).not.toContain('commit');
  });
});

async function refuses(repo: TestRepo, epoch: Parameters<typeof restoreEpoch>[1]): Promise<void> {
  const to = repo.git('rev-parse', 'HEAD');
  const move = moveRef(repo, { ref: 'refs/furrow/head/main', to, from: null, epoch });
  await expect(move).rejects.toMatchObject({ code: 'STALE_EPOCH' });
}

it('a daemon that was replaced does not take its epoch back', async () => {
  using repo = new TestRepo();
  const epoch = await nextEpoch(repo);
  const next = await nextEpoch(repo);
  expect(await restoreEpoch(repo, epoch)).toBe('replaced');
  expect(await restoreEpoch(repo, next)).toBe('there');
  await refuses(repo, epoch);
});

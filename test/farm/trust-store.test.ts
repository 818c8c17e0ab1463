import { existsSync } from 'node:fs';
import { chown, cp, readFile, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { farm, furrow } from '../support/farm.ts';
import { gitRepo, type TestRepo } from '../support/repo.ts';

/** A repository whose farm was stopped with an entry in its queue, and whose check leaves a file beside the repository. */
async function withQueuedEntry(): Promise<TestRepo & { canary: string }> {
  const repo = await gitRepo();
  const canary = join(repo.base, 'canary');
  await repo.write('furrow.yaml', `check: touch ${canary}\n`);
  await repo.commit('configuration');
  await repo.git('switch', '--quiet', '--create', 'feature');
  await repo.write('feature.txt', 'feature\n');
  await repo.commit('feature');
  await repo.git('switch', '--quiet', 'main');
  {
    await using running = farm(repo);
    await running.furrow('queue', 'pause');
    expect((await running.furrow('submit', 'feature')).code).toBe(0);
  }
  const db = new DatabaseSync(join(repo.root, '.furrow/store.db'));
  db.exec("delete from meta where key = 'queue.paused'");
  db.exec('pragma wal_checkpoint(truncate)');
  db.close();
  return { ...repo, canary };
}

/** Another user's clone, with a home of its own: nothing was ever trusted there. */
async function cloneOf(repo: TestRepo): Promise<TestRepo> {
  const [root, home] = [join(repo.base, 'clone'), join(repo.base, 'other-home')];
  await repo.git('clone', '--quiet', repo.root, root);
  return { ...repo, root, home, env: { FURROW_TRUST: '' } };
}

it('does not open a store that the repository tracks', async () => {
  await using repo = await withQueuedEntry();
  await repo.git('add', '--force', '.furrow/store.db');
  await repo.git('commit', '--quiet', '--message', 'a store for everybody');
  const clone = await cloneOf(repo);
  const before = await repo.git('rev-parse', 'main');
  await using running = farm(clone);
  const said = await running.furrow('status');
  await running.furrow('list');
  expect(said).toMatchObject({ code: 1, stderr: expect.stringMatching(/\.furrow.*tracked by git[\s\S]*try: git rm -r --cached/) });
  expect(existsSync(repo.canary)).toBe(false);
  expect(await repo.git('--git-dir', join(clone.root, '.git'), 'rev-parse', 'main')).toBe(before);
});

/** Puts something else in the place of `.furrow`, or of a part of it. */
const PLANTED: Record<string, (repo: TestRepo) => Promise<void>> = {
  'a link in place of .furrow': async ({ root, base }) => {
    await rename(join(root, '.furrow'), join(base, 'elsewhere'));
    await symlink(join(base, 'elsewhere'), join(root, '.furrow'));
  },
  'a link in place of the store': async ({ root, base }) => {
    await rename(join(root, '.furrow/store.db'), join(base, 'elsewhere'));
    await symlink(join(base, 'elsewhere'), join(root, '.furrow/store.db'));
  },
  'a link in place of the logs': async ({ root, base }) => {
    await rm(join(root, '.furrow/logs'), { recursive: true });
    await symlink(base, join(root, '.furrow/logs'));
  },
  'a link in place of the log of the daemon': async ({ root, base }) => {
    await rm(join(root, '.furrow/logs/daemon.log'));
    await symlink(join(base, 'elsewhere'), join(root, '.furrow/logs/daemon.log'));
  },
  ...(process.getuid?.() === 0 && {
    'a store of another user': ({ root }: TestRepo) => chown(join(root, '.furrow/store.db'), 65534, 65534),
    'a .furrow of another user': ({ root }: TestRepo) => chown(join(root, '.furrow'), 65534, 65534),
  }),
};

it('opens nothing in a .furrow that is a link, holds one, or belongs to somebody else', async () => {
  await using repo = await withQueuedEntry();
  for (const [what, plant] of Object.entries(PLANTED)) {
    const root = join(repo.base, 'planted');
    await cp(repo.root, root, { recursive: true });
    await plant({ ...repo, root });
    const before = await readFile(join(root, '.furrow/store.db'));
    const said = await furrow({ ...repo, root }, 'status');
    expect(said, what).toMatchObject({ code: 1, stderr: expect.stringMatching(/furrow: .*\.furrow.*\n {2}try: ls -la/) });
    expect(await readFile(join(root, '.furrow/store.db')), what).toEqual(before);
    expect(existsSync(join(repo.base, 'daemon.log')), what).toBe(false);
    await rm(root, { recursive: true });
    await rm(join(repo.base, 'elsewhere'), { recursive: true, force: true });
  }
  expect(existsSync(repo.canary)).toBe(false);
});

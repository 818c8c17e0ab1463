import { execFileSync } from 'node:child_process';
import { lstatSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { nextEpoch } from '../../../src/repo/merge/epoch.ts';
import { copyIndex } from '../../../src/repo/merge/held-index.ts';
import { publish } from '../../../src/repo/merge/publish.ts';
import { TestRepo } from './repo.ts';

it.each(['a.txt', 'new/n.txt'])('a publication waits for a named pipe of the user’s at %s, and names it', async (path) => {
  using repo = new TestRepo();
  repo.write({ 'new/.keep': '' });
  rmSync(join(repo.root, path), { force: true });
  execFileSync('mkfifo', [join(repo.root, path)]);
  const old = repo.git('rev-parse', 'main');
  const terms = { old, new: repo.commitOn(old, { [path]: 'landed\n' }), epoch: await nextEpoch(repo) };
  expect(await publish(repo, 'main', terms)).toMatchObject({ published: false, paths: [path] });
  expect(lstatSync(join(repo.root, path)).isFIFO()).toBe(true);
});

it('a publication does not wait at a named pipe in the place of the index, and names it', async () => {
  using repo = new TestRepo();
  const index = join(repo.gitDir, 'index');
  rmSync(index);
  execFileSync('mkfifo', [index]);
  await expect(copyIndex(repo.gitDir, join(repo.gitDir, 'copy'))).rejects.toThrow(`${index} is a named pipe`);
});

import { join } from 'node:path';
import { expect, it } from 'vitest';
import { foldersOf, readIndex } from '../../../src/platform/git/index-file.ts';
import { gitRepo } from './repo.ts';

it('an index is read as git lists it, and one that is not whole is left to git', async () => {
  await using repo = await gitRepo();
  const index = join(repo.gitDir, 'index');
  repo.write('deep/er/ü.txt', 'x\n');
  repo.sh(['add', '-A']);
  const paths = async () => (await readIndex(index))?.map(({ path }) => Buffer.from(path, 'latin1').toString());
  expect(await paths()).toEqual(repo.sh(['ls-files', '-z']).split('\0').filter(Boolean));
  expect(foldersOf((await readIndex(index))!)).toEqual(['', 'deep', 'deep/er', 'src']);
  repo.sh(['update-index', '--split-index']);
  expect(await paths()).toBeUndefined();
  repo.sh(['update-index', '--no-split-index']);
  repo.sh(['update-index', '--index-version', '4']);
  expect(await paths()).toBeUndefined();
  expect(await readIndex(join(repo.gitDir, 'HEAD'))).toBeUndefined();
});

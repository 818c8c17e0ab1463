import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tornRefs } from '../../../src/platform/git/torn-refs.ts';
import { gitRepo } from './repo.ts';

/** Three commits on a branch of an agent's, and one on another. */
async function branches() {
  const repo = await gitRepo();
  const start = repo.sh(['rev-parse', 'main']);
  const work = (branch: string, names: readonly string[]) => {
    repo.sh(['switch', '-q', '-c', branch, start]);
    const commits = names.map((name) => {
      repo.write(`src/${name}.txt`, `${name}\n`);
      return repo.commit(name);
    });
    repo.sh(['switch', '-q', 'main']);
    return commits;
  };
  work('furrow/default/ada/1', ['one', 'two', 'three']);
  work('furrow/default/bob/2', ['other']);
  const refs = ['1', '2'].map((task) => {
    const ref = `refs/heads/furrow/default/${task === '1' ? 'ada' : 'bob'}/${task}`;
    return { ref, oid: repo.sh(['rev-parse', ref]) };
  });
  return { ...repo, start, refs };
}

it.each([
  ['a commit on the way', '~1'],
  ['its tree', '^{tree}'],
  ['the tree of a folder', ':src'],
  ['a file', ':src/three.txt'],
  ['a file of an earlier commit', ':src/one.txt'],
  ['the tree of an earlier commit', '~1^{tree}'],
])('a ref is torn when %s is gone, and the others are not', async (_, what) => {
  await using repo = await branches();
  const [first] = repo.refs;
  expect(await tornRefs(repo, repo.refs, [repo.start])).toEqual([]);
  const oid = repo.sh(['rev-parse', `${first!.oid}${what}`]);
  rmSync(join(repo.gitDir, 'objects', oid.slice(0, 2), oid.slice(2)));
  expect(await tornRefs(repo, repo.refs, [repo.start])).toEqual([first]);
});

it('a gap in the history of the person’s own branch tears no ref of ours', async () => {
  await using repo = await branches();
  const tree = repo.sh(['rev-parse', `${repo.start}:src`]);
  rmSync(join(repo.gitDir, 'objects', tree.slice(0, 2), tree.slice(2)));
  expect(await tornRefs(repo, repo.refs, [repo.start])).toEqual([]);
});

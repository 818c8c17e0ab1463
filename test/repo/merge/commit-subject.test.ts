import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { subjectOf } from '../../../src/repo/merge/commit-subject.ts';
import { TestRepo } from './repo.ts';

const MESSAGES = {
  'one line': 'Add a file\n',
  'no end of line': 'Add a file',
  'a body': 'Add a file\n\nIt is empty.\n',
  'a subject of two lines': 'Add a file\nand another\n \nIt is empty.\n',
  'blank lines first': '\n \t\n  Add a file \t\nnext\r\n\r\nbody\n',
  'letters outside ASCII': 'Füge eine Datei hinzu – 日本\n',
  'a word of the header': 'encoding is hard\n\nencoding latin1\n',
  nothing: '',
};

/** A commit whose message is these very bytes. */
const commit = (repo: TestRepo, message: string | Buffer, ...config: string[]) =>
  execFileSync('git', [...config, 'commit-tree', 'HEAD^{tree}'], {
    cwd: repo.root,
    input: message,
    env: {
      ...process.env,
      GIT_AUTHOR_NAME: 'A',
      GIT_AUTHOR_EMAIL: 'a@x.invalid',
      GIT_COMMITTER_NAME: 'A',
      GIT_COMMITTER_EMAIL: 'a@x.invalid',
    },
    encoding: 'utf8',
  }).trim();

const asGit = (repo: TestRepo, sha: string) =>
  execFileSync('git', ['show', '-s', '--format=%s', sha], { cwd: repo.root, encoding: 'utf8' }).replace(/\n$/, '');

it.each(Object.entries(MESSAGES))('is what git shows: %s', async (_, message) => {
  using repo = new TestRepo();
  const sha = commit(repo, message);
  expect(await subjectOf(repo, sha)).toBe(asGit(repo, sha));
});

it('is what git shows of a commit in another encoding', async () => {
  using repo = new TestRepo();
  const sha = commit(repo, Buffer.from('Füge hinzu\n', 'latin1'), '-c', 'i18n.commitEncoding=latin1');
  expect(await subjectOf(repo, sha)).toBe('Füge hinzu');
});

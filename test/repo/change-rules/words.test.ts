import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { commitsOf } from '../../../src/repo/change-rules/commits.ts';
import { contentRule, issueText } from '../../../src/repo/change-rules/content-issue.ts';
import { readSteps } from '../../../src/repo/change-rules/read.ts';
import { keysInWords, wordsOfCommits } from '../../../src/repo/change-rules/words.ts';
import { gitRepo } from '../../support/repo.ts';

// In two parts, so that nobody's screen finds a key in this file.
const AWS = `AKIA${'Z7Q2M4N6P8R3T5V9'}`;
const GITHUB = `ghp_${'a1B2c3D4e5F6g7H8i9J0k1L2'}`;
const PEM = `-----BEGIN ${'OPENSSH PRIVATE KEY'}-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmU\n-----END`;

it('finds a key wherever a commit that would land has one: message, author, committer, a merge', async () => {
  await using repo = await gitRepo();
  const at = { root: repo.root, gitDir: join(repo.root, '.git') };
  const head = await repo.git('rev-parse', 'HEAD');
  const said = async (...args: string[]) => {
    await repo.git('checkout', '-q', '--detach', head);
    await repo.git('commit', '-q', '--allow-empty', ...args);
    return repo.git('rev-parse', 'HEAD');
  };
  const message = await said('-m', `words\n\nuse ${AWS}`);
  const long = await said('-m', `words\n\n${PEM}`);
  const author = await said('-m', 'words', `--author=${GITHUB} <a@b>`);
  const clean = await said('-m', 'words');
  await repo.git('checkout', '-q', '--detach', message);
  await repo.git('merge', '-q', '--no-ff', '-m', `merge ${GITHUB}`, clean);
  const merge = await repo.git('rev-parse', 'HEAD');

  const lists = await commitsOf(at, head, [message, long, author, clean, merge, head, message]);
  expect(lists.map((list) => list.map(({ sha }) => sha))).toEqual([[message], [long], [author], [clean], expect.anything(), [], [message]]);
  expect(new Set(lists[4]!.map(({ sha }) => sha))).toEqual(new Set([merge, message, clean]));
  const told = await Promise.all(lists.map(async (list) => (await keysInWords(wordsOfCommits(list))).map(issueText)));
  const of = (sha: string, what: string) => `commit ${sha.slice(0, 10)} holds what looks like a secret (${what})`;
  expect(told.map((one) => one.toSorted())).toEqual([
    [of(message, 'AWS access key AKIA…')],
    [of(long, 'private key -----BEGIN…')],
    [of(author, 'GitHub token ghp_…')],
    [],
    [of(message, 'AWS access key AKIA…'), of(merge, 'GitHub token ghp_…')].toSorted(),
    [],
    [of(message, 'AWS access key AKIA…')],
  ]);
  await expect(commitsOf(at, head, ['1'.repeat(40)]), 'not known is not "none"').rejects.toThrow();
});

it('finds a key in the name of a new file or folder and in the target of a link, and never shows it', async () => {
  await using repo = await gitRepo({ [`old/${GITHUB}.txt`]: 'x\n' });
  const before = await repo.git('rev-parse', 'HEAD');
  await repo.write(`keys/${AWS}/a.txt`, 'x\n');
  await repo.write(`${GITHUB}.env`, `A=${AWS}\n`);
  await repo.write(`old/${GITHUB}.txt`, 'changed\n');
  await symlink(`https://x:${GITHUB}@host`, join(repo.root, 'link'));
  await symlink('old', join(repo.root, 'plain'));
  const after = await repo.commit('change');
  const [reading] = await readSteps({ root: repo.root, gitDir: join(repo.root, '.git') }, [{ before, after }], 1e6);
  expect(reading!.found.map(issueText).toSorted()).toEqual([
    'ghp_….env:1 looks like a secret (AWS access key AKIA…)',
    'the link link holds what looks like a secret (GitHub token ghp_…)',
    'the name ghp_….env holds what looks like a secret (GitHub token ghp_…)',
    'the name keys/AKIA…/a.txt holds what looks like a secret (AWS access key AKIA…)',
  ]);
  expect(JSON.stringify(reading!.found)).not.toMatch(new RegExp(`${AWS}|${GITHUB}`));
});

it('asks like for contents; a path that is allowed may be named so, words are allowed by no path', () => {
  const found = [
    { is: 'named', path: 'fixtures/AKIA…', by: 'name', name: 'AWS access key', shown: 'AKIA…' },
    { is: 'words', of: 'the title', name: 'AWS access key', shown: 'AKIA…' },
    { is: 'commits', count: 7 },
  ] as const;
  expect(contentRule(found, ['fixtures/**'])).toEqual([
    'screen: the title holds what looks like a secret (AWS access key AKIA…); 7 of its commits were too many to look through one by one',
  ]);
});

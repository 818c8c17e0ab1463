import { expect, it } from 'vitest';
import { assertConfigNamesFile } from '../../../src/platform/git/config-call.ts';
import { tryGit } from '../../../src/platform/git/run.ts';
import { userConfig } from '../../../src/platform/git/user.ts';
import { gitRepo } from './repo.ts';

const refused = { code: 'GIT_CONFIG_PLACE' };

it.each(['config a.b c', 'config --get a.b', '-c x.y=z config a.b c', 'config --local a.b c', 'config --global a.b c', 'config set a.b c'])(
  'git %s is refused: it names no file',
  (line) => {
    expect(() => assertConfigNamesFile(line.split(' '))).toThrow(expect.objectContaining(refused));
  },
);

it.each([
  'config --file /x a.b c',
  'config --file=/x a.b',
  'config -f /x --get a.b',
  '-c x.y=z config --blob HEAD:x --list',
  'config --global --get a.b',
  'config --system --list',
  'commit -m config',
  'log config',
])('git %s is not', (line) => {
  assertConfigNamesFile(line.split(' '));
});

it('no git of ours writes into its own door', async () => {
  await using repo = await gitRepo();
  await expect(tryGit(repo, ['config', 'core.pager', 'evil'])).rejects.toMatchObject(refused);
  const { door } = await userConfig(repo);
  expect((await tryGit(repo, ['config', '--file', `${door}/config`, '--get', 'core.pager'])).code).toBe(1);
});

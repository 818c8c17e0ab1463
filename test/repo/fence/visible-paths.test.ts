import { expect, test } from 'vitest';
import { namedPaths } from '../../../src/repo/fence/visible-paths.ts';

test('paths that a line names in full', () => {
  expect(namedPaths(['sh /opt/agent.sh --out=/srv/x "~/b c" && node \'/a/b.js\'', 'cat </etc/hosts'])).toEqual([
    '/opt/agent.sh',
    '/srv/x',
    '~/b',
    '/a/b.js',
    '/etc/hosts',
  ]);
});

test('paths inside the worktree, parts of words and addresses are none', () => {
  expect(namedPaths(['sh tools/agent.sh', 'curl https://x/y', 'a/b/c', 's/x/y/', 'echo / ~'])).toEqual([]);
});

test('a file that the line writes to is not meant', () => {
  expect(namedPaths(['echo x > /tmp/log', 'sh /a.sh >>/b.log 2>| "/c"'])).toEqual(['/a.sh']);
});

test('what a shell would fill in is not guessed', () => {
  expect(namedPaths(['sh $HOME/x.sh', 'ls /opt/*.sh'])).toEqual([]);
});

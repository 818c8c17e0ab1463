import { expect, it } from 'vitest';
import { quotedIfNeeded } from '../../src/platform/shell.ts';

it('a command to be copied quotes the words that a shell would split or read, and no others', () => {
  expect(['/srv/my-app_2', "it's", '/srv/my app', '$HOME', '*', ''].map(quotedIfNeeded)).toEqual([
    '/srv/my-app_2',
    `'it'\\''s'`,
    "'/srv/my app'",
    "'$HOME'",
    "'*'",
    "''",
  ]);
});

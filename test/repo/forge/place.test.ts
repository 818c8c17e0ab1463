import { expect, it } from 'vitest';
import { placeOf } from '../../../src/repo/forge/place.ts';

it.each([
  ['https://github.com/ann/shop.git', 'github', 'https://api.github.com', 'ann/shop'],
  ['git@github.com:ann/shop.git', 'github', 'https://api.github.com', 'ann/shop'],
  ['ssh://git@github.com:22/ann/shop', 'github', 'https://api.github.com', 'ann/shop'],
  ['https://ann:secret@github.com/ann/shop/', 'github', 'https://api.github.com', 'ann/shop'],
  ['git@shop.ghe.com:ann/shop.git', 'github', 'https://api.shop.ghe.com', 'ann/shop'],
  ['https://github.example.org/ann/shop', 'github', 'https://github.example.org/api/v3', 'ann/shop'],
  ['https://gitlab.com/group/sub/shop.git', 'gitlab', 'https://gitlab.com/api/v4', 'group/sub/shop'],
  ['git@gitlab.example.org:group/shop.git', 'gitlab', 'https://gitlab.example.org/api/v4', 'group/shop'],
  ['https://Codeberg.org/ann/shop.git', 'gitea', 'https://codeberg.org/api/v1', 'ann/shop'],
  ['https://gitea.example.org:3000/ann/shop', 'gitea', 'https://gitea.example.org:3000/api/v1', 'ann/shop'],
  ['https://forgejo.example.org/ann/shop', 'gitea', 'https://forgejo.example.org/api/v1', 'ann/shop'],
])('%s is on a forge that furrow knows', (remote, kind, api, project) => {
  expect(placeOf(remote)).toMatchObject({ kind, api, project });
});

it.each([
  '/srv/git/shop.git',
  '../shop',
  'file:///srv/shop.git',
  'https://git.example.org/ann/shop',
  'https://github.com/shop',
  'git@github.com:ann/../shop',
  '',
])('%s is on none', (remote) => {
  expect(placeOf(remote)).toBeUndefined();
});

it('takes the kind and the address that furrow.yaml names', () => {
  expect(placeOf('git@git.example.org:ann/shop.git', { kind: 'gitea', api: null })).toEqual({
    kind: 'gitea',
    host: 'git.example.org',
    api: 'https://git.example.org/api/v1',
    project: 'ann/shop',
  });
  expect(placeOf('git@git.example.org:ann/shop.git', { kind: 'gitlab', api: 'https://example.org/git/api/v4/' })).toMatchObject({
    api: 'https://example.org/git/api/v4',
  });
});

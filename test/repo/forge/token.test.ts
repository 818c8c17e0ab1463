import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { ForgeKind } from '../../../src/repo/forge/forge.ts';
import { findToken } from '../../../src/repo/forge/token.ts';

const at = (kind: ForgeKind, host: string, api: string) => ({ kind, host, api, project: 'ann/shop' });
const GITHUB = at('github', 'github.com', 'https://api.github.com');
const OWN_GITLAB = at('gitlab', 'git.example.org', 'https://git.example.org/api/v4');

function home() {
  const path = mkdtempSync(join(tmpdir(), 'furrow-tokens-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true }) };
}

it.each([
  [GITHUB, { GH_TOKEN: 'one', GITHUB_TOKEN: 'two' }, 'GH_TOKEN'],
  [GITHUB, { GITHUB_TOKEN: 'two' }, 'GITHUB_TOKEN'],
  [at('github', 'shop.ghe.com', 'https://api.shop.ghe.com'), { GH_TOKEN: 'one' }, 'GH_TOKEN'],
  [
    at('github', 'github.example.org', 'https://github.example.org/api/v3'),
    { GH_ENTERPRISE_TOKEN: 'one', GH_HOST: 'github.example.org' },
    'GH_ENTERPRISE_TOKEN',
  ],
  [at('gitlab', 'gitlab.com', 'https://gitlab.com/api/v4'), { GITLAB_TOKEN: 'one' }, 'GITLAB_TOKEN'],
  [OWN_GITLAB, { GITLAB_TOKEN: 'one', GITLAB_HOST: 'https://git.example.org' }, 'GITLAB_TOKEN'],
  [at('gitea', 'codeberg.org', 'https://codeberg.org/api/v1'), { GITEA_SERVER_TOKEN: 'one' }, 'GITEA_SERVER_TOKEN'],
])('is taken from the environment, for the host that it is for: %j', async (place, env, from) => {
  expect(await findToken(place, { HOME: '/nowhere', ...env })).toMatchObject({ from });
});

it.each([
  // A repository that names another interface must not get the token of the host that its remote names.
  [at('github', 'github.com', 'https://evil.example/api'), { GH_TOKEN: 'one', GH_ENTERPRISE_TOKEN: 'two' }],
  [
    at('github', 'evil.example', 'https://evil.example/api/v3'),
    { GH_TOKEN: 'one', GH_ENTERPRISE_TOKEN: 'two', GH_HOST: 'github.example.org' },
  ],
  [OWN_GITLAB, { GITLAB_TOKEN: 'one' }],
  [at('gitea', 'evil.example', 'https://evil.example/api/v1'), { GITEA_SERVER_TOKEN: 'one' }],
  [at('github', 'evil.example', 'https://api.evil.example'), { GH_TOKEN: 'one' }],
])('goes to no other host: %j', async (place, env) => {
  expect(await findToken(place, { HOME: '/nowhere', ...env })).toBeUndefined();
});

it("is taken from the forge's own tool", async () => {
  using place = home();
  const tool = (name: string, text: string) => writeFileSync(join(place.path, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  tool('gh', '[ "$*" = "auth token --hostname github.com" ] && echo token-of-gh');
  tool('glab', '[ "$*" = "config get token --host git.example.org" ] && echo token-of-glab');
  mkdirSync(join(place.path, '.config', 'tea'), { recursive: true });
  writeFileSync(
    join(place.path, '.config', 'tea', 'config.yml'),
    'logins:\n- name: own\n  url: https://git.example.org\n  token: token-of-tea\n',
  );
  const env = { HOME: place.path, PATH: place.path };
  expect(await findToken(GITHUB, env)).toEqual({ token: 'token-of-gh', from: 'gh' });
  expect(await findToken({ ...GITHUB, host: 'other.example', api: 'https://other.example/api/v3' }, env)).toBeUndefined();
  expect(await findToken(OWN_GITLAB, env)).toEqual({ token: 'token-of-glab', from: 'glab' });
  expect(await findToken(at('gitea', 'git.example.org', 'https://git.example.org/api/v1'), env)).toEqual({
    token: 'token-of-tea',
    from: 'tea',
  });
  expect(await findToken(at('gitea', 'other.example', 'https://other.example/api/v1'), env)).toBeUndefined();
});

import { expect, it } from 'vitest';
import { fenceArguments } from '../../../src/repo/fence/bwrap.ts';
import { withoutSecrets } from '../../../src/repo/fence/home-paths.ts';
import { gitEnvironment } from '../../../src/repo/fence/open.ts';

it('hides first, shows again after, and ends with what the command works with', () => {
  const argv = fenceArguments({
    hidden: ['/tmp', '/home/ada'],
    opened: [{ from: '/home/ada/.nvm' }],
    ours: ['/home/ada/app'],
    mounts: [{ from: '/home/ada/app/.git' }, { from: '/w', write: true }, { from: '/k', to: '/home/ada/.npm', write: true }],
    unset: ['SSH_AUTH_SOCK'],
    network: 'host',
    cwd: '/w',
  });
  const words = argv.join(' ');
  expect(words).toMatch(
    /--ro-bind \/ \/ .*--tmpfs \/tmp --tmpfs \/home\/ada --ro-bind \/home\/ada\/\.nvm \/home\/ada\/\.nvm --tmpfs \/home\/ada\/app/,
  );
  expect(words).toMatch(/--ro-bind \/home\/ada\/app\/\.git \S+ --bind \/w \/w --bind \/k \/home\/ada\/\.npm --remount-ro \/home\/ada\/app/);
  expect(words).toMatch(/--unsetenv SSH_AUTH_SOCK --chdir \/w -- env --default-signal=TERM --default-signal=INT$/);
});

it('settings of tools are shown without what could be a password', () => {
  const npmrc = 'registry=https://npm.example/\n//npm.example/:_authToken=abc\nproxy=http://ada:abc@proxy:1/\nfund=false';
  expect(withoutSecrets(npmrc)).toBe('registry=https://npm.example/\nfund=false');
  expect(withoutSecrets('[user]\n\tname = Ada\n[author]\n\tname = Ada')).toBe('[user]\n\tname = Ada\n[author]\n\tname = Ada');
});

it('git inside signs nothing and tidies nothing, beside settings that the environment has already', () => {
  const env = gitEnvironment({ GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'a.b', GIT_CONFIG_VALUE_0: 'c' });
  expect(env).toMatchObject({ GIT_CONFIG_COUNT: '6', GIT_CONFIG_KEY_1: 'commit.gpgSign', GIT_CONFIG_VALUE_1: 'false' });
});

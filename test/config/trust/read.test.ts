import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readGitFolder } from '../../../src/config/trust/git-folder.ts';
import { agentSettingsAt, hooksAt, hooksFolder } from '../../../src/config/trust/read.ts';
import { gitRepo } from '../../support/repo.ts';

const paths = (files: readonly { path: string }[]) => files.map(({ path }) => path);

it("finds agents' own settings in a commit, and no other file", async () => {
  const files = ['.claude/settings.json', '.claude/notes.md', '.mcp.json', '.codex/config.toml', '.gemini/settings.json'];
  const more = ['opencode.json', '.opencode/plugin/x.ts', 'web/opencode.json', 'README.md'];
  await using repo = await gitRepo(Object.fromEntries([...files, ...more].map((path) => [path, `${path}\n`])));
  const at = { root: repo.root, gitDir: join(repo.root, '.git') };
  const found = await agentSettingsAt(at, 'HEAD');
  expect(paths(found).toSorted()).toEqual([
    '.claude/settings.json',
    '.codex/config.toml',
    '.gemini/settings.json',
    '.mcp.json',
    '.opencode/plugin/x.ts',
    'opencode.json',
  ]);
  await repo.write('.mcp.json', 'another\n');
  await repo.commit('another tool server');
  const again = await agentSettingsAt(at, 'HEAD');
  expect(again.filter((file, n) => file.hash !== found[n]!.hash)).toMatchObject([{ path: '.mcp.json' }]);
  expect(await agentSettingsAt(at, 'refs/heads/none')).toEqual([]);
});

it('finds the hooks that a commit runs: those of the git folder, and those of a folder that is tracked', async () => {
  await using repo = await gitRepo({ 'tools/hooks/pre-commit': 'first\n', '.husky/pre-push': 'husky\n' });
  const at = { root: repo.root, gitDir: join(repo.root, '.git') };
  const look = async () => readGitFolder({ ...at, own: [], hooks: await hooksFolder(at) });
  const found = async () => hooksAt(at, 'HEAD', await hooksFolder(at), (await look()).folder.hooks);
  expect(await found(), 'samples run never').toEqual([]);
  const empty = await look();
  expect(empty.isCurrent()).toBe(true);
  await repo.write('.git/hooks/pre-commit', '#!/bin/sh\nevil\n');
  await repo.write('.git/hooks/post-commit', '#!/bin/sh\ngit lfs post-commit "$@"\n');
  const [hook, ...others] = await found();
  expect([hook?.path, others]).toEqual(['hooks/pre-commit', []]);
  expect(empty.isCurrent()).toBe(false);

  await repo.git('config', 'core.hooksPath', 'tools/hooks');
  const before = await found();
  expect(paths(before)).toEqual(['tools/hooks/pre-commit']);
  expect(paths((await look()).folder.files), 'not in force, and there').toEqual(['.git/hooks/pre-commit']);
  await repo.write('tools/hooks/pre-commit', 'second\n');
  expect(await found(), 'what is not committed reaches no worktree').toEqual(before);
  await repo.commit('another hook');
  expect((await found())[0]?.hash).not.toBe(before[0]?.hash);

  await repo.write('.husky/_/pre-push', 'sh ../pre-push\n');
  await repo.git('config', 'core.hooksPath', '.husky/_');
  expect(paths(await found()), 'the scripts of husky are in the folder above').toEqual(['hooks/.husky/_/pre-push', '.husky/pre-push']);
});

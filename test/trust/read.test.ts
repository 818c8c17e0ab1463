import { join } from 'node:path';
import { expect, it } from 'vitest';
import { agentSettingsAt, hooksAt, hooksFolder, hooksPrint } from '../../src/trust/read.ts';
import { gitRepo } from '../support/repo.ts';

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
  await using repo = await gitRepo({ 'tools/hooks/pre-commit': 'first\n' });
  const at = { root: repo.root, gitDir: join(repo.root, '.git') };
  expect(await hooksAt(at, 'HEAD'), 'samples run never').toEqual([]);
  const empty = hooksPrint(await hooksFolder(at));
  await repo.write('.git/hooks/pre-commit', '#!/bin/sh\nevil\n');
  await repo.write('.git/hooks/post-commit', '#!/bin/sh\ngit lfs post-commit "$@"\n');
  const [hook, ...others] = await hooksAt(at, 'HEAD');
  expect([hook?.path, others]).toEqual(['hooks/pre-commit', []]);
  expect(hooksPrint(await hooksFolder(at))).not.toBe(empty);

  await repo.git('config', 'core.hooksPath', 'tools/hooks');
  const before = await hooksAt(at, 'HEAD');
  expect(paths(before)).toEqual(['tools/hooks/pre-commit']);
  await repo.write('tools/hooks/pre-commit', 'second\n');
  expect(await hooksAt(at, 'HEAD'), 'what is not committed reaches no worktree').toEqual(before);
  await repo.commit('another hook');
  expect((await hooksAt(at, 'HEAD'))[0]?.hash).not.toBe(before[0]?.hash);
});

import { mkdir, mkdtempDisposable, realpath, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ToolUse } from '../../../../src/agents/agent/event.ts';
import { decide } from '../../../../src/agents/agent/permission/decide.ts';
import { type Hooks, NO_HOOKS, type Policy } from '../../../../src/agents/agent/permission/policy.ts';
import { fileLook } from '../../../../src/daemon/host/agents/permission-policy.ts';
import { ownHooks } from '../../../../src/repo/worktree/hooks-changed.ts';
import { gitRepo } from '../../../support/repo.ts';

const act: Policy = { mode: 'act', rules: [], checks: [], protect: ['board'], leases: [], own: [] };

function judge(worktree: string, rules: Policy['rules'] = [], hooks: Hooks = NO_HOOKS) {
  const tool = (asked: Pick<ToolUse, 'action' | 'paths' | 'command' | 'cwd'>) =>
    decide({ tool: { name: 'any', input: {}, ...asked }, worktree, look: fileLook, hooks }, { ...act, rules });
  return {
    run: (command: string, cwd?: string) => tool({ action: 'run', command, paths: [], ...(cwd && { cwd }) }).do,
    tool: (action: ToolUse['action'], path: string) => tool({ action, paths: [path] }).do,
  };
}

/** A worktree with links in it to what is beside it. */
async function linked(base: string): Promise<string> {
  const tree = join(base, 'tree');
  for (const folder of ['tree/src/deep', 'tree/board', 'tree/links', 'outside']) await mkdir(join(base, folder), { recursive: true });
  await writeFile(join(base, 'outside/secret'), 'secret');
  await writeFile(join(tree, 'src/a.ts'), 'a');
  await symlink(join(base, 'outside'), join(tree, 'out'));
  await symlink(join(base, 'outside/secret'), join(tree, 'links/secret'));
  await symlink('../../outside/not-there-yet', join(tree, 'links/new'));
  await symlink('board', join(tree, 'plank'));
  await symlink('src', join(tree, 'code'));
  await symlink('round', join(tree, 'round'));
  return tree;
}

describe('links', () => {
  it("that lead out of the worktree are a person's to follow", async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'furrow-links-'));
    const tree = await linked(folder.path);
    const { run, tool } = judge(tree);
    const asks = [
      'cat links/secret',
      'cat out/secret',
      'ls out',
      'ls out/../x',
      'cat links/*',
      'cat < links/secret',
      'grep x out/secret',
      'cat round',
    ];
    const writes = [
      'echo x > out/new',
      'echo x > links/new',
      'echo x >> links/secret',
      'mkdir out/x',
      'echo x > plank/1.md',
      'touch plank/2.md',
    ];
    expect([...asks, ...writes].filter((line) => run(line) !== 'ask')).toEqual([]);
    expect([tool('read', 'links/secret'), tool('edit', 'links/new'), tool('edit', 'plank/1.md')]).toEqual(['ask', 'deny', 'deny']);
  });

  it('that stay inside are followed, also into a worktree that is itself named by one', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'furrow-links-'));
    await symlink(await linked(await realpath(folder.path)), join(folder.path, 'by-link'));
    const { run, tool } = judge(join(folder.path, 'by-link'));
    const lines = ['cat code/a.ts', 'cat src/*.ts', 'echo x > code/b.ts', 'cat src/deep/../a.ts', 'echo x > new/file'];
    expect(lines.map((line) => run(line))).toEqual(lines.map(() => 'allow'));
    expect([run('git status', join(folder.path, 'tree')), tool('edit', 'code/b.ts')]).toEqual(['allow', 'allow']);
  });

  it('do not lead past a rule that denies a path', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'furrow-links-'));
    const tree = await linked(folder.path);
    const deny = (tool: string) => (line: string) => judge(tree, [{ do: 'deny', tool, path: 'src/**' }]).run(line);
    expect(['echo x > src/a.ts', 'echo x >> code/a.ts', 'touch code/b.ts', 'true 2> src/log'].map(deny('edit'))).toEqual(
      Array(4).fill('deny'),
    );
    expect(['cat src/a.ts', 'cat < code/a.ts', 'head -1 code/a.ts'].map(deny('read'))).toEqual(Array(3).fill('deny'));
    expect(['echo x > src/a.ts', 'cat code/a.ts'].map(deny('Write'))).toEqual(['deny', 'deny']);
    expect([deny('edit')('cat src/a.ts'), deny('read')('grep -r x .'), deny('fetch')('cat src/a.ts')]).toEqual(['allow', 'ask', 'allow']);
  });

  it('are followed from the folder that the agent is in', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'furrow-links-'));
    const tree = await linked(folder.path);
    const { run } = judge(tree);
    expect([run('cat secret', join(tree, 'links')), run('cat ../src/a.ts', join(tree, 'links')), run('ls', folder.path)]).toEqual([
      'ask',
      'allow',
      'ask',
    ]);
    // A folder that looks like a bare repository would be taken for one.
    expect([run('git status', join(tree, 'src')), run('git status', tree)]).toEqual(['ask', 'allow']);
  });
});

describe('hooks of the project', () => {
  const lines = ['git commit -m x', 'git status', 'git add -A', 'git merge main', 'echo x > .husky/pre-commit', 'echo x > a'];
  it('run as they were when the attempt began, and not as the agent made them', async () => {
    await using repo = await gitRepo({ '.husky/pre-commit': 'true\n', 'a.txt': 'a\n' });
    await repo.git('config', 'core.hooksPath', '.husky/_');
    await repo.write('.husky/_/h', 'made by husky\n');
    const base = await repo.git('rev-parse', 'HEAD');
    const place = { root: repo.root, gitDir: join(repo.root, '.git') };
    await repo.git('worktree', 'add', '-q', '../tree');
    const tree = join(repo.root, '../tree');
    await mkdir(join(tree, '.husky/_'));
    await writeFile(join(tree, '.husky/_/h'), 'made by husky\n');
    const answers = async () => {
      const hooks = await ownHooks(place, tree, base);
      return lines.map((line) => judge(tree, [], hooks).run(line));
    };
    expect(await answers()).toEqual(['allow', 'allow', 'allow', 'ask', 'ask', 'allow']);
    for (const [path, text] of [
      ['.husky/pre-commit', 'evil\n'],
      ['.husky/_/h', 'evil\n'],
      ['.husky/commit-msg', 'evil\n'],
    ] as const) {
      const before = path.endsWith('msg') ? undefined : path.endsWith('h') ? 'made by husky\n' : 'true\n';
      await writeFile(join(tree, path), text);
      expect(await answers(), path).toEqual(['ask', 'ask', 'ask', 'ask', 'ask', 'allow']);
      if (before !== undefined) await writeFile(join(tree, path), before);
    }
  });

  it("outside the worktree are not an agent's to change", async () => {
    await using repo = await gitRepo({ 'a.txt': 'a\n' });
    const place = { root: repo.root, gitDir: join(repo.root, '.git') };
    expect(await ownHooks(place, repo.root, 'HEAD')).toEqual({ folder: undefined, changed: false });
  });
});

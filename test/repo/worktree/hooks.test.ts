import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bringHooks } from '../../../src/repo/worktree/hooks.ts';
import { farm, type TestFarm } from './farm.ts';

/** Writes an executable file below a folder. */
function hook(root: string, path: string, line: string): void {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
}

/** A commit as an agent makes it, by its own git. */
function commits(f: TestFarm, agent: string): void {
  f.put(agent, 'work.txt', 'work\n');
  f.sh(['add', '-A'], f.pathOf(agent));
  f.sh(['commit', '-qm', 'work'], f.pathOf(agent));
}

describe('hooks in a folder that git does not carry', () => {
  it('run for an agent as for a person, and are not part of its work', async () => {
    await using f = await farm();
    f.sh(['config', 'core.hooksPath', '.husky/_']);
    hook(f.root, '.husky/_/pre-commit', 'echo ran > ran.txt; git add ran.txt');
    await f.prepare('ada', '1');
    await bringHooks(f, f.pathOf('ada'));
    commits(f, 'ada');
    expect(f.sh(['show', '--name-only', '--format=', 'HEAD'], f.pathOf('ada')).split('\n')).toEqual(['ran.txt', 'work.txt']);
  });

  it('are brought beside the tracked ones that need them', async () => {
    await using f = await farm();
    f.sh(['config', 'core.hooksPath', '.husky']);
    hook(f.root, '.husky/pre-commit', '. .husky/_/husky.sh');
    f.sh(['add', '.husky']);
    f.sh(['-c', 'core.hooksPath=/dev/null', 'commit', '-qm', 'hooks']);
    hook(f.root, '.husky/_/husky.sh', 'echo ran > ran.txt; git add ran.txt');
    writeFileSync(join(f.root, '.husky/_/.gitignore'), '*\n');
    hook(f.root, '.husky/pre-push', 'a hook of the person that is not committed yet');
    await f.prepare('ada', '1', { base: f.sh(['rev-parse', 'HEAD']) });
    await bringHooks(f, f.pathOf('ada'));
    commits(f, 'ada');
    expect(f.sh(['show', '--name-only', '--format=', 'HEAD'], f.pathOf('ada')).split('\n')).toEqual(['ran.txt', 'work.txt']);
    expect(readdirSync(join(f.pathOf('ada'), '.husky')).sort()).toEqual(['_', 'pre-commit']);
  });

  it('what another tool installs there is not committed, also where the person has no such folder', async () => {
    await using f = await farm();
    f.sh(['config', 'core.hooksPath', '.husky/_']);
    await f.prepare('ada', '1');
    await bringHooks(f, f.pathOf('ada'));
    hook(f.pathOf('ada'), '.husky/_/pre-push', 'true');
    commits(f, 'ada');
    expect(f.sh(['show', '--name-only', '--format=', 'HEAD'], f.pathOf('ada'))).toBe('work.txt');
  });

  it('are brought once: what the agent has there stays, and no planted link is followed', async () => {
    await using f = await farm();
    f.sh(['config', 'core.hooksPath', '.husky/_']);
    hook(f.root, '.husky/_/pre-commit', 'true');
    await f.prepare('ada', '1');
    await bringHooks(f, f.pathOf('ada'));
    f.put('ada', '.husky/_/pre-commit', 'changed');
    await bringHooks(f, f.pathOf('ada'));
    expect(readFileSync(join(f.pathOf('ada'), '.husky/_/pre-commit'), 'utf8')).toBe('changed');
    rmSync(join(f.pathOf('ada'), '.husky/_'), { recursive: true });
    const elsewhere = join(f.root, 'elsewhere');
    mkdirSync(elsewhere);
    symlinkSync(elsewhere, join(f.pathOf('ada'), '.husky/_'));
    await bringHooks(f, f.pathOf('ada'));
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  it.each(['/nowhere/hooks', '../hooks', '.git/hooks', '.', '~/hooks'])('%s is left to git', async (path) => {
    await using f = await farm();
    f.sh(['config', 'core.hooksPath', path]);
    await f.prepare('ada', '1');
    const before = readdirSync(f.pathOf('ada'));
    await bringHooks(f, f.pathOf('ada'));
    expect(readdirSync(f.pathOf('ada'))).toEqual(before);
    expect(existsSync(join(f.root, 'hooks'))).toBe(false);
  });
});

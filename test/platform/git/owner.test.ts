import { chown, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { findRepo } from '../../../src/platform/git/repository.ts';
import { gitRepo } from '../../support/repo.ts';

const NOT_ROOT = process.getuid?.() !== 0;

it.skipIf(NOT_ROOT)(
  "a repository of another user's is used only where the person's git calls it safe, and the refusal says how (needs root)",
  async () => {
    await using repo = await gitRepo({ 'a.txt': 'a\n' });
    vi.stubEnv('HOME', repo.home);
    for (const path of [repo.root, join(repo.root, '.git')]) await chown(path, 12_345, 12_345);
    const found = async (...values: string[]) => {
      await writeFile(join(repo.home, '.gitconfig'), `[safe]\n${values.map((value) => `\tdirectory = ${value}\n`).join('')}`);
      return findRepo(repo.root).then(
        ({ root }) => root,
        (error: { hint: string }) => error.hint,
      );
    };
    const refused = `git config --global --add safe.directory ${repo.root}, if you trust everybody who can write there`;
    const above = join(repo.root, '..');
    expect([await found(), await found('/elsewhere'), await found('.'), await found(`${above}/rep`), await found('*', '""')]).toEqual(
      Array(5).fill(refused),
    );
    expect([await found(repo.root), await found('*'), await found(`${above}/*`), await found('""', repo.root)]).toEqual(
      Array(4).fill(repo.root),
    );
  },
);

import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { protectedLinks } from '../../../src/repo/change-rules/links.ts';
import { withLinks } from '../../../src/repo/change-rules/protected.ts';
import { gitRepo } from '../../support/repo.ts';

it('a guarded path that is a link on the target guards what it leads to', async () => {
  await using repo = await gitRepo({ 'ci/github/workflows/x.yml': 'x\n', 'tools/real.sh': 'true\n', 'other/a.txt': 'a\n' });
  await symlink('ci/github', join(repo.root, '.github'));
  await symlink('tools/link.sh', join(repo.root, 'check.sh'));
  await symlink('real.sh', join(repo.root, 'tools/link.sh'));
  await symlink('../elsewhere', join(repo.root, '.claude'));
  await repo.commit('links');
  const place = { root: repo.root, gitDir: join(repo.root, '.git') };
  const links = await protectedLinks(place, await repo.git('rev-parse', 'HEAD^{tree}'), {
    protect: [],
    board: 'board',
    checks: ['check.sh'],
  });
  expect(links).toEqual([
    { link: '.github', to: 'ci/github' },
    { link: 'check.sh', to: 'tools/link.sh' },
    { link: 'tools/link.sh', to: 'tools/real.sh' },
  ]);
  expect(withLinks(['ci/github/workflows/x.yml', 'tools/real.sh', 'other/a.txt'], links)).toEqual([
    'ci/github/workflows/x.yml',
    'tools/real.sh',
    'other/a.txt',
    '.github/workflows/x.yml',
    'tools/link.sh',
    'check.sh',
  ]);
  expect(withLinks(['a'], [])).toEqual(['a']);
});

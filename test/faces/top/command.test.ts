import { expect, it } from 'vitest';
import { furrow, repository } from '../cli/stub.ts';

it('furrow top without a terminal says so, names furrow status and exits with 2', async () => {
  await using repo = await repository();
  const ended = await furrow(['top'], { cwd: repo.root });
  expect(ended).toMatchObject({ code: 2, stdout: '' });
  expect(ended.stderr).toContain('furrow top needs a terminal');
  expect(ended.stderr).toContain('try: furrow status');
});

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { farm } from '../support/farm.ts';
import { gitRepo } from '../support/repo.ts';

const CONFIG = 'agent: sh\nagents: { sh: { driver: command, run: "true" } }\nresources: { db: 1, "api:stripe": 3 }\ncheck: "true"\n';

it('a task gets the resources that it needs by `add` and `edit`; one that furrow.yaml does not name is refused', async () => {
  await using repo = await gitRepo({ 'furrow.yaml': CONFIG });
  await using it = farm(repo);
  const { id, file } = (await it.furrow('add', 'Migrate the dates', '--needs', 'db', '--json')).json();
  const text = () => readFile(join(repo.root, 'board', file), 'utf8');
  expect(await text()).toMatch(/^needs: ?\n? *(- |\[)db\]?$/m);
  expect((await it.furrow('edit', id, '--needs', 'db,api:stripe')).code).toBe(0);
  expect(await text()).toMatch(/api:stripe/);
  const refused = await it.furrow('edit', id, '--needs', 'bd');
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('furrow.yaml has no resource bd')]);
});

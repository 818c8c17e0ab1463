import { expect, it } from 'vitest';
import { parseConfig } from '../../../src/config/load.ts';
import { configForChecks } from '../../../src/daemon/roster/host-config.ts';

it('a machine that joined gets of the configuration what a check depends on, and no secret of the rest', () => {
  const text = `
check: npm test
worktree: { setup: [npm ci], copy: [.env], env: { DATABASE_URL: "postgres://me:secret@db/app" } }
notify: { webhook: "https://hooks.example/secret-path" }
agents: { mine: { driver: command, run: "agent --key secret" } }
queue: { caches: [node_modules] }
isolation: guard
`;
  const sent = configForChecks(parseConfig(text, 'furrow.yaml'));
  expect(JSON.stringify(sent)).not.toContain('secret');
  expect(sent).toMatchObject({
    isolation: 'guard',
    checks: [{ run: 'npm test' }],
    queue: { caches: ['node_modules'] },
    worktree: { setup: ['npm ci'], copy: ['.env'], env: { DATABASE_URL: '' } },
  });
});

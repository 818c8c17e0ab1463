import { chmod } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { farm } from '../support/farm.ts';
import { gitRepo } from '../support/repo.ts';

it('doctor says which checks would run another Node than the project asks for, and where it asks', async () => {
  const path = process.env['PATH'] ?? '';
  await using repo = await gitRepo({
    'package.json': '{ "engines": { "node": ">=22" } }\n',
    '.nvmrc': '22\n',
    'web/.node-version': '18\n',
  });
  for (const [folder, version] of [
    ['old', 'v20.11.1'],
    ['new', 'v22.3.0'],
  ] as const) {
    await repo.write(`../${folder}/node`, `#!/bin/sh\necho ${version}\n`);
    await chmod(join(repo.base, folder, 'node'), 0o755);
  }
  const newer = { PATH: [join(repo.base, 'new'), path].join(delimiter) };
  const checks = [
    { name: 'unit', run: 'npm test' },
    { name: 'new', run: 'npm test', env: newer },
    { name: 'web', run: 'npm test', dir: 'web', env: newer },
  ];
  await repo.write('furrow.yaml', stringify({ checks }));
  await repo.commit('configure');
  repo.env['PATH'] = [join(repo.base, 'old'), path].join(delimiter);
  await using running = farm(repo);
  const { findings } = (await running.furrow('doctor', '--json')).json() as { findings: { level: string; what: string }[] };
  expect(findings.filter(({ what }) => what.includes('would run node'))).toMatchObject([
    { level: 'warn', what: 'check unit would run node 20.11.1, and package.json (engines.node) asks for >=22' },
    { level: 'warn', what: 'check unit would run node 20.11.1, and .nvmrc asks for 22' },
    { level: 'warn', what: 'check web would run node 22.3.0, and .node-version asks for 18' },
  ]);
});

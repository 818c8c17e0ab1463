import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { PROGRAMS } from '../support/needs.ts';

it.each(Object.entries(PROGRAMS))('CI installs %s, so that no test is left out there', async (program, installs) => {
  expect(await readFile('.ci/run', 'utf8')).toContain(`need ${program} ${installs}\n`);
  expect(await readFile('.github/workflows/ci.yml', 'utf8')).toMatch(new RegExp(`apt-get install .*\\b${installs}\\b`));
});

it('CI runs every test, and says which were left out', async () => {
  expect(await readFile('.ci/run', 'utf8')).toMatch(/^npm run test:all .*--reporter=\.\/test\/support\/left-out\.ts/m);
});

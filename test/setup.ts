import { relative } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect } from 'vitest';
import { forgetRemoved, stories } from './support/story.ts';
import { useTemporary } from './support/temporary.ts';

/**
 * The same cases in every run: a test that is red was made red by a change. `FURROW_SEED=random`, or a number, goes
 * looking elsewhere; fast-check prints the seed of what it finds.
 */
const seed = process.env['FURROW_SEED'];
if (seed !== 'random') fc.configureGlobal({ seed: seed === undefined ? 20_261_115 : Number(seed) });

// Clients inside the test's own process trust the repositories that the test made.
process.env['FURROW_TRUST'] = '1';

// A file that shares its worker with others gets its own answer: vitest runs this before each.
useTemporary(relative(process.cwd(), expect.getState().testPath ?? ''));

beforeEach(forgetRemoved);
afterEach(({ task }) => {
  const told = task.result?.state === 'fail' ? stories() : '';
  if (told !== '') console.error(told);
});

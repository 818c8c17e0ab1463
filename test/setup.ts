import fc from 'fast-check';

/**
 * The same cases in every run: a test that is red was made red by a change. `FURROW_SEED=random`, or a number, goes
 * looking elsewhere; fast-check prints the seed of what it finds.
 */
const seed = process.env['FURROW_SEED'];
if (seed !== 'random') fc.configureGlobal({ seed: seed === undefined ? 20_261_115 : Number(seed) });

// Clients inside the test's own process trust the repositories that the test made.
process.env['FURROW_TRUST'] = '1';

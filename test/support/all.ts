/** True in `npm run test:all`, which CI runs before it lands something. */
export const ALL = process.env['FURROW_TESTS'] === 'all';

/**
 * So many generated cases: enough to find a gross mistake in the run that a person waits for, and 20 times as many where nobody waits.
 * A property that is too dear for that says how many there: at least 5 times what it took to find the code broken.
 */
export const runs = (quick: number, all = 20 * quick): number => (ALL ? all : quick);

/** True in `npm run test:all`, which CI runs before it lands something. */
export const ALL = process.env['FURROW_TESTS'] === 'all';

/** So many generated cases: enough to find a gross mistake in the run that a person waits for, 20 times as many where nobody waits. */
export const runs = (quick: number): number => (ALL ? 20 * quick : quick);

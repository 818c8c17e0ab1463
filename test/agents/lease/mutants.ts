import { planGrants } from '../../../src/agents/lease/plan.ts';
import { PRODUCT, type Product } from './model.ts';

/** Broken products, each with the rule that is missing. The model must notice every one. */
export const MUTANTS: Readonly<Record<string, Product>> = {
  // A release names what it was for, and not which grant: a late one ends the lease of the next holder.
  unfenced: {
    ...PRODUCT,
    meant: (leases, { names }) => leases.find((lease) => lease.standing === 'held' && `${lease.names}` === `${names}`),
    step: (from, event) => (event.on === 'released' ? { standing: 'ended', token: from.token } : PRODUCT.step(from, event)),
  },
  // A lease ends with the attempt, while its work is still in the queue.
  'at-submission': { ...PRODUCT, submitted: () => ({ on: 'ended' }) },
  // Time alone ends the lease of somebody who still works.
  timed: { ...PRODUCT, ofTime: (leases) => leases.filter((lease) => lease.standing === 'held').slice(0, 1) },
  // Two patterns overlap only when they are the same text.
  'by-text': { ...PRODUCT, overlap: (a, b) => `${a}` === `${b}` },
  // Whoever shares does not mind whoever does not.
  unshared: {
    ...PRODUCT,
    grants: (book) => planGrants({ ...book, leases: book.leases.filter((one) => one.mode !== 'shared' || one.standing === 'waiting') }),
  },
  // The one that came last goes first.
  overtaking: {
    ...PRODUCT,
    grants: (book) =>
      book.leases
        .flatMap((one) => planGrants({ ...book, leases: book.leases.filter((other) => other === one || other.standing === 'held') }))
        .slice(-1),
  },
  // Some never have their turn.
  forgetful: { ...PRODUCT, grants: (book) => planGrants(book).filter((one) => one.id % 7 !== 0) },
  // More units than there are.
  generous: {
    ...PRODUCT,
    grants: (book) =>
      planGrants({ ...book, capacity: Object.fromEntries(Object.entries(book.capacity).map(([name, n]) => [name, n + 1])) }),
  },
  // Nobody looks for circles.
  blind: { ...PRODUCT, circles: () => [] },
};

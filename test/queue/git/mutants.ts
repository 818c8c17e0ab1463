import { git } from '../../../src/platform/git/run.ts';
import { planQueue } from '../../../src/queue/plan.ts';
import type { CheckRun } from '../../../src/queue/snapshot.ts';
import type { Policy } from '../../sim/simulate.ts';
import { change } from './changes.ts';
import { PARTS, type Parts, type Workload } from './play.ts';

/** A queue with one broken part, and the smallest work on which it breaks its promise. */
export interface Mutant {
  readonly promise: string;
  readonly name: string;
  readonly workload: Workload;
  readonly parts: Parts;
}

const SMALL = { slots: 1, batch: 1, retries: 0 };
const one = { ...SMALL, changes: [change(1)] };
const badOne = { ...SMALL, changes: [change(1, 'bad')] };

const mutant = (promise: string, name: string, workload: Workload, parts: Partial<Parts>): Mutant => ({
  ...{ promise, name, workload },
  parts: { ...PARTS, ...parts },
});

/** Takes every tree that merges for one that has passed. */
const credulous: Policy = (snapshot) => {
  const trees = [...snapshot.stacked.values()].flatMap((known) => (known.kind === 'clean' ? [known.tree] : []));
  const passes = trees.map((tree, at): CheckRun => ({ id: 1000 + at, tree, check: 'tree', outcome: 'pass' }));
  return planQueue({ ...snapshot, runs: [...snapshot.runs, ...passes] });
};

/** Lands a commit of its own with the words of the one that was built. */
const landing =
  (tree: (old: string, built: string) => string, parents: (old: string) => string[]): Parts['land'] =>
  async (repo, move) => {
    const message = await git(repo, ['show', '--no-patch', '--format=%B', move.new]);
    const made = await git(repo, ['commit-tree', tree(move.old, move.new), ...parents(move.old), '-m', message], {
      env: { GIT_AUTHOR_NAME: 'Ada', GIT_AUTHOR_EMAIL: 'ada@localhost' },
    });
    await git(repo, ['update-ref', move.ref, made, move.old]);
    return { moved: true };
  };

let calls = 0;

export const mutants: readonly Mutant[] = [
  mutant('Q1', 'lands what was not checked', badOne, { policy: credulous }),
  mutant('Q2', 'lands beside the head', one, {
    land: landing(
      (_, built) => `${built}^{tree}`,
      () => [],
    ),
  }),
  mutant(
    'Q3',
    'forgets what an entry needs',
    { ...SMALL, changes: [change(1, 'bad'), change(2, 'good', { after: 1 })] },
    { policy: (snapshot) => planQueue({ ...snapshot, entries: snapshot.entries.map((entry) => ({ ...entry, after: [] })) }) },
  ),
  mutant(
    'Q4',
    'lands the words without the work',
    { ...one, inTheWay: true },
    {
      land: landing(
        (old) => `${old}^{tree}`,
        (old) => ['-p', old],
      ),
    },
  ),
  mutant('Q5', 'ends an entry twice', one, {
    policy: (snapshot) => {
      const plan = planQueue(snapshot);
      return { ...plan, contained: [...plan.contained, ...(plan.land?.entries ?? [])] };
    },
  }),
  mutant('Q6', 'takes one red run for enough', { ...badOne, retries: 1 }, { policy: (snapshot) => planQueue({ ...snapshot, retries: 0 }) }),
  mutant('Q7', 'puts the checkout right', one, {
    publish: async (repo, target, publication) => {
      await git(repo, ['checkout', '--quiet', '--force', target], { cwd: repo.root });
      return PARTS.publish(repo, target, publication);
    },
  }),
  mutant('Q7', 'moves the branch under the checkout', one, {
    publish: async (repo, target, publication) => {
      await git(repo, ['update-ref', `refs/heads/${target}`, publication.new, publication.old]);
      return { published: true };
    },
  }),
  mutant(
    'Q8',
    'takes for done what was only begun',
    { ...one, happenings: [{ wait: 0, at: 'landing begun', on: 'crash' }] },
    { probeLanding: async () => 'done' },
  ),
  mutant('Q9', 'uses a slot too many', { ...SMALL, changes: [change(1), change(2)], company: true }, { moreSlots: 1 }),
  mutant(
    'Q9',
    'lets go what a check left behind',
    { ...SMALL, changes: [change(1, 'leaves')] },
    {
      runCheck: (repo, slot, order, signal) => PARTS.runCheck(repo, { ...slot, jail: ['env', 'FURROW_RUN='] }, order, signal),
    },
  ),
  mutant(
    'Q10',
    'remembers something outside of its snapshot',
    { ...one, changes: [change(1), change(2)], batch: 2 },
    {
      policy: (snapshot) => planQueue({ ...snapshot, batch: (calls++ % 2) + 1 }),
    },
  ),
  mutant(
    'Q11',
    'does not look for culprits',
    { ...one, changes: [change(1), change(2, 'bad')], batch: 2 },
    {
      policy: (snapshot) => {
        const plan = planQueue(snapshot);
        return { ...plan, checks: plan.checks.filter(({ purpose }) => purpose !== 'trial') };
      },
    },
  ),
  ...(['writes', 'commits'] as const).map((kind) =>
    mutant(
      'Q12',
      `does not look at the tree after the check, which ${kind}`,
      { ...SMALL, changes: [change(1, kind)] },
      {
        runCheck: async (...args) => {
          const answer = await PARTS.runCheck(...args);
          return answer.detail?.includes('must leave tracked files') ? { ...answer, outcome: 'pass' } : answer;
        },
      },
    ),
  ),
  mutant('Q12', 'does not look at the tree before the check', badOne, {
    runCheck: async (repo, slot, order, signal) => {
      const head = await git(repo, ['rev-parse', 'main', 'main^{tree}']);
      const [commit = '', tree = ''] = head.split('\n');
      return PARTS.runCheck(repo, slot, { ...order, commit, tree }, signal);
    },
  }),
];

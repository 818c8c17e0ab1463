import { expect, it } from 'vitest';
import { costOf } from '../support/cost.ts';

/** So many gits are started for a landed task at most, by their command. One more is a decision; `npm run bench -- cost` shows them all. */
const MOST: Readonly<Record<string, number>> = {
  status: 5,
  'merge-tree': 3,
  checkout: 2,
  // Those of the radar, while agents have work that is not committed, depend on when it looks.
  'rev-list': 3,
  'diff-tree': 2,
  'update-index': 1,
  'write-tree': 1,
  'pack-objects': 1,
  'index-pack': 1,
  'read-tree': 1.5,
  'ls-files': 1,
  // One of them gives its branch to a worktree that was filled ahead: the first task of each agent.
  'update-ref': 1.5,
};

it.runIf(process.platform === 'linux')(
  'a landed task starts a known number of gits, and none that a git which stays can answer',
  async () => {
    const { gits, gitsInAll } = await costOf(6, { count: true });
    const more = Object.entries(gits).filter(([verb, count]) => count > (MOST[verb] ?? 0.5));
    expect(more).toEqual([]);
    // Nothing counted would be below every bound.
    expect(gitsInAll).toBeGreaterThan(5);
    expect(gitsInAll).toBeLessThan(18);
  },
);

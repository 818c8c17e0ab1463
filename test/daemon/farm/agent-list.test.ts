import { expect, it } from 'vitest';
import { emptySupervision } from '../../../src/agents/supervision/record.ts';
import { listAgents } from '../../../src/daemon/farm/agent-list.ts';
import type { FarmRows } from '../../../src/daemon/farm/snapshot.ts';

const NOW = 100_000;
const clock = { now: () => NOW, awake: () => NOW };

/** An agent whose process is gone, seen to be so at a time or not yet. */
const rows = (ended: number | null) =>
  ({
    agents: [{ name: 'ada', idx: 1, phase: 'p', kind: 'k', state: 'working', paused: 0, attempt: 1, worktree: '/w', since: 0 }],
    // No process has this number.
    attempts: [
      { id: 1, n: 1, agent: 'ada', task: 'p/1', state: 'running', pid: 2 ** 30, pid_start: '1', branch: 'b', settings: '{}', host: null },
    ],
    work: [{ phase: 'p', state: 'active' }],
    supervision: new Map([[1, { ...emptySupervision(0), ended: ended === null ? null : { at: ended, halted: false } }]]),
    row: () => undefined,
  }) as unknown as FarmRows;

it.each([
  ['not yet seen', null, 'working', 'ending'],
  ['seen a moment ago: its work is being judged', NOW - 9_000, 'working', 'ending'],
  ['seen long ago: nobody goes on with it', NOW - 10_000, 'dead', null],
])('the end of a process that was %s', (_when, ended, state, detail) => {
  expect(listAgents(rows(ended), clock)).toMatchObject([{ name: 'ada', state, detail }]);
});

import { describe, expect, it } from 'vitest';
import { handPin, pinOf, readPin } from '../../../src/daemon/farm/pins.ts';
import { planRebuild, type Remains } from '../../../src/daemon/leader/lost-store/plan.ts';
import { branchRef } from '../../../src/journal/branch.ts';
import { tasksIn } from '../../../src/repo/merge/trailers.ts';

const nothing: Remains = { landings: [], removed: [], pins: [], branches: [], strays: [] };
const landing = (commit: string, ...refs: string[]) => ({
  commit,
  tree: 't',
  parent: 'p',
  at: 0,
  subject: 's',
  tasks: refs.map((ref) => ({ ref, attempt: 2, agent: null })),
});
const pin = (task: string, attempt: number | null, queuedFor: string | null, landed = false) => ({
  task,
  attempt,
  queuedFor,
  sha: `s${attempt}`,
  landed,
});
const plan = (remains: Partial<Remains>) => planRebuild({ ...nothing, ...remains });

describe('a lost store', () => {
  it('a task whose landing is found has landed, whatever else is left of it', () => {
    const { tasks } = plan({
      landings: [landing('c', 'a/1')],
      pins: [pin('a/1', 3, 'main')],
      branches: [{ name: 'furrow/a/ada/1', sha: 'x', landed: false }],
    });
    expect(tasks).toMatchObject([{ task: 'a/1', standing: 'landed', attempt: 3, commit: 'c', entry: null }]);
  });

  it('the newest attempt that was submitted is queued again, for its own target', () => {
    const { tasks, unknown } = plan({
      pins: [pin('a/1', 1, 'main'), pin('a/1', 2, 'next')],
      branches: [{ name: 'furrow/a/ada/1', sha: 'x', landed: false }],
    });
    expect(tasks).toMatchObject([{ standing: 'submitted', entry: { sha: 's2', attempt: 2, target: 'next' } }]);
    expect(unknown).toEqual([]);
  });

  it('an attempt that failed after one that was submitted leaves the task open', () => {
    expect(plan({ pins: [pin('a/1', 1, 'main'), pin('a/1', 2, null)] }).tasks).toMatchObject([
      { standing: 'open', attempt: 2, entry: null },
    ]);
  });

  it('what a person took out of the target does not come back, and is asked about', () => {
    const { tasks, unknown } = plan({ removed: [landing('c', 'a/1')], pins: [pin('a/1', 2, 'main')] });
    expect(tasks).toMatchObject([{ standing: 'parked', entry: null }]);
    expect(unknown.join()).toContain('furrow retry 1');
  });

  it('a task that was reverted after it landed is open', () => {
    const landings = [landing('d', 'revert/1-0123abcd'), landing('c', 'a/1')];
    expect(plan({ landings }).tasks).toMatchObject([{ task: 'a/1', standing: 'open' }]);
  });

  it('work on a branch that nothing else tells of is named', () => {
    const { tasks, unknown } = plan({
      branches: [{ name: 'furrow/a/ada/1', sha: 'x', landed: false }],
      strays: [{ agent: 'ada', task: 'a/1', attempt: 4 }],
    });
    expect(tasks).toMatchObject([{ standing: 'open', attempt: 4 }]);
    expect(unknown).toEqual([expect.stringContaining('furrow submit furrow/a/ada/1')]);
  });
});

it('a pin tells its task, attempt and target', () => {
  expect(readPin(pinOf('a/1', 3, 'release/2'))).toEqual({ task: 'a/1', attempt: 3, queuedFor: 'release/2' });
  expect(readPin(pinOf('a/1', 3))).toEqual({ task: 'a/1', attempt: 3, queuedFor: null });
  expect(readPin(handPin('a/1', '0123456789abcdef', 'main'))).toEqual({ task: 'a/1', attempt: null, queuedFor: 'main' });
  const branch = branchRef('fix/50%2F/dates');
  expect(readPin(handPin(branch, '0123456789abcdef', 'main'))?.task).toBe(branch);
  for (const other of ['refs/furrow/pin/a/1/3-uncommitted', 'refs/furrow/pin/diverged/0123', 'refs/furrow/pin/a/1/3-head'])
    expect(readPin(other)).toBeUndefined();
});

it('trailers tell the tasks of a landing, each with its own', () => {
  const text =
    'Furrow-Task: 1\nFurrow-Attempt: 2\nFurrow-Agent: ada\nFurrow-Task: 7\nFurrow-Phase: beta\nFurrow-Attempt: 1\nFurrow-Check: unit ok\n';
  expect(tasksIn(text)).toEqual([
    { ref: 'default/1', attempt: 2, agent: 'ada' },
    { ref: 'beta/7', attempt: 1, agent: null },
  ]);
});

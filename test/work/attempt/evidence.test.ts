import { describe, expect, it } from 'vitest';
import { afterAttempt } from '../../../src/agents/agent/after-attempt.ts';
import { type Evidence, judge } from '../../../src/work/attempt/evidence.ts';

const done: Evidence = {
  exit: 0,
  turnEnded: false,
  stopped: false,
  timedOut: false,
  said: undefined,
  lastLine: '',
  commits: 1,
  own: 1,
  changed: ['src/a.ts'],
  protectedPaths: [],
  dirty: false,
  detached: false,
  special: [],
  operation: undefined,
  planted: undefined,
};

const says = (seen: Partial<Evidence>, outcome: string, reason: RegExp) => () => {
  expect(judge({ ...done, ...seen })).toEqual({ outcome, reason: expect.stringMatching(reason) });
};

describe('an attempt that was asked for an answer', () => {
  const answers = { answers: true, commits: 0, changed: [], said: { done: '', result: 'APPROVE' } } as const;
  it('ends with it, whatever it left in its worktree', says({ ...answers, dirty: true, commits: 2 }, 'answered', /answer/));
  it(
    'fails without one, also when it says done or has commits',
    says({ ...answers, commits: 1, said: { done: 'yes' } }, 'failed', /no answer/),
  );
  it('cannot say that no change is needed instead', says({ ...answers, said: { unchanged: 'fine' } }, 'failed', /no answer/));
  it('may give it back', says({ ...answers, said: { blocked: 'no diff' } }, 'blocked', /no diff/));
});

describe('an ended attempt', () => {
  it('with commits and a clean tree is submitted', says({}, 'submitted', /1 commit/));
  it('counts its own commits, not those that a merge of the target brought', says({ commits: 74, own: 2 }, 'submitted', /^2 commits$/));
  it(
    'that changed nothing and does not say why is a question',
    says({ commits: 0, said: { done: 'all of it' } }, 'blocked', /no change needed\?/),
  );
  it('that changed nothing but files it did not commit is told so', says({ commits: 0, dirty: true }, 'failed', /uncommitted/));
  it(
    'that needs no change says why, and that is its outcome',
    says({ commits: 0, said: { unchanged: 'it is there already' } }, 'unchanged', /^it is there already$/),
  );
  it('that left its branch may have its commits elsewhere', says({ commits: 0, detached: true }, 'failed', /no commit on the branch/));
  it('with exit 76 needs no change, by its last line', says({ exit: 76, commits: 0, lastLine: 'is there' }, 'unchanged', /^is there$/));
  it('that needs no change has no commits', says({ said: { unchanged: 'is there' } }, 'failed', /there are commits on its branch/));
  it('whose commits change nothing is no result', says({ changed: [] }, 'failed', /change nothing/));
  it('with uncommitted changes is told so', says({ dirty: true }, 'failed', /uncommitted/));
  it(
    'with a named pipe in a file’s place is told which',
    says({ dirty: true, special: ['a'] }, 'failed', /named pipe.* at a; put the file/),
  );
  it('in the middle of a merge is told so', says({ operation: 'merge' }, 'failed', /middle of a merge/));
  it('in protected paths is told which', says({ changed: ['ci.yml'], protectedPaths: ['ci.yml'] }, 'failed', /protected paths: ci\.yml/));
  it('with exit 75 is blocked, by its last line', says({ exit: 75, lastLine: 'need a key' }, 'blocked', /^need a key$/));
  it('with another exit has failed', says({ exit: 3, lastLine: 'boom' }, 'failed', /^exit 3: boom$/));
  it('killed by a signal has crashed, not failed', says({ exit: 137 }, 'crashed', /signal 9/));
  it('gone without a code has crashed', says({ exit: undefined }, 'crashed', /without an exit code/));
  it('with exit 255 has failed: that is no signal', says({ exit: 255 }, 'failed', /exit 255/));
  it('that said done may end as it likes', says({ exit: 143, said: { done: 'ok' } }, 'submitted', /1 commit/));
  it('that said blocked is blocked, though it ends with 0', says({ said: { blocked: 'no key' } }, 'blocked', /^no key$/));
  it(
    'whose task a person gave up is stopped, whatever it did',
    says({ exit: 0, turnEnded: true, said: { givenUp: 'given up by you' } }, 'stopped', /^given up by you$/),
  );
  it('that was stopped is no failure', says({ stopped: true, exit: 143 }, 'stopped', /stopped/));
});

describe('what becomes of the task', () => {
  const none = { failures: 0, crashes: 0 };
  it('is another attempt while there are any left', () => {
    expect(afterAttempt('failed', 'boom', { failures: 1, crashes: 0 }, 3, 0)).toMatchObject({
      event: 'failed',
      failures: 2,
      question: undefined,
    });
  });
  it('is a question when there are none left', () => {
    expect(afterAttempt('failed', 'boom', { failures: 2, crashes: 0 }, 3, 0)).toMatchObject({
      event: 'parked',
      question: expect.stringContaining('boom'),
    });
  });
  it('is another attempt at once after a first crash, later after more, and crashes use up no attempts', () => {
    const waits = [0, 1, 2, 3].map((crashes) => afterAttempt('crashed', 'killed', { failures: 2, crashes }, 3, 1000));
    expect(waits.map((one) => one.notBefore)).toEqual([1000, 2000, 3000, 5000]);
    expect(waits.every((one) => one.event === 'crashed' && one.failures === 2)).toBe(true);
  });
  it('is a question after ten crashes in a row', () => {
    expect(afterAttempt('crashed', 'killed', { failures: 0, crashes: 9 }, 3, 0)).toMatchObject({ event: 'parked' });
  });
  it('is nothing lost after a stop', () => {
    expect(afterAttempt('stopped', 'stopped', none, 3, 0)).toMatchObject({ event: 'stopped', ...none });
  });
});

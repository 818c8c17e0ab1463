import { describe, expect, it } from 'vitest';
import { type WalkDoor, walk } from '../../../src/faces/cli/walk-questions.ts';
import { stepsFor } from '../../../src/work/question/next-step.ts';

interface Asked {
  readonly id: string;
  readonly kind: string;
}

const PERMISSION = { id: '1', kind: 'permission' };
const ASK = { id: '2', kind: 'ask' };
const APPROVAL = { id: '3', kind: 'approval' };

/** A farm with these questions, and a person who types these keys and lines. A command that answers a question takes it from the list. */
function stage(open: readonly Asked[], keys: string, lines: readonly string[] = [], fails = false) {
  let left = [...open];
  const [typed, said] = [[...keys], [...lines]];
  const log: string[] = [];
  const door: WalkDoor<Asked> = {
    list: async () => left,
    stepsOf: ({ id, kind }) => stepsFor({ id, kind, subject: `t${id}`, agent: null }),
    show: ({ id }, more, whole) => void log.push(`${whole ? 'whole' : 'show'} ${id} +${more}`),
    say: () => {},
    key: async () => typed.shift(),
    line: async () => said.shift() ?? '',
    async run(command) {
      log.push(command.join(' '));
      if (fails) return false;
      left = left.filter(({ id }) => !command.some((word) => word === id || word === `t${id}`) || command[0] === 'diff');
      return true;
    },
  };
  return { door, log };
}

describe('a walk through what needs a person', () => {
  it('shows one after the other, and does what its key stands for', async () => {
    const { door, log } = stage([PERMISSION, ASK, APPROVAL], 'atdy', ['use the new parser']);
    expect(await walk(door)).toEqual({ dealtWith: 3, skipped: 0 });
    expect(log).toEqual(['show 1 +2', 'answer 1 allow', 'show 2 +1', 'answer 2 use the new parser', 'show 3 +0', 'diff t3', 'approve t3']);
  });

  it('asks again after a key that means nothing, an empty line, and a command that failed', async () => {
    const { door, log } = stage([ASK], 'xtq', ['  ']);
    expect(await walk(door)).toEqual({ dealtWith: 0, skipped: 0 });
    expect(log).toEqual(['show 2 +0']);
    const failing = stage([PERMISSION], 'aaq', [], true);
    expect(await walk(failing.door)).toEqual({ dealtWith: 0, skipped: 0 });
    expect(failing.log).toEqual(['show 1 +0', 'answer 1 allow', 'answer 1 allow']);
  });

  it('skips what the person skips, shows all of a question when asked to, and ends with the terminal', async () => {
    const { door, log } = stage([PERMISSION, ASK], 'sv');
    expect(await walk(door)).toEqual({ dealtWith: 0, skipped: 1 });
    expect(log).toEqual(['show 1 +1', 'show 2 +0', 'whole 2 +0']);
  });

  it('does not come back to a question that is still open after its command', async () => {
    const { door, log } = stage([PERMISSION, ASK], 'aq');
    const stays: WalkDoor<Asked> = { ...door, list: async () => [PERMISSION, ASK] };
    expect(await walk(stays)).toEqual({ dealtWith: 0, skipped: 1 });
    expect(log).toEqual(['show 1 +1', 'answer 1 allow', 'show 2 +0']);
  });
});

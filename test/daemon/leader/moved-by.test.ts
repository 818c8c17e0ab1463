import { describe, expect, it } from 'vitest';
import { decideMover } from '../../../src/daemon/leader/target/moved-by.ts';

const line = (to: string, at = 100) => ({ to, at });
const mine = (...lines: ReturnType<typeof line>[]) => ({ agent: null, lines: [line('old', 1), ...lines] });
const ada = (...lines: ReturnType<typeof line>[]) => ({ agent: 'ada', lines });
const move = { to: 'tip', line: line('tip'), commits: ['tip', 'work'] };

describe('the target was moved by an agent', () => {
  it('when no checkout of a person was there, and the commit is of an agent’s worktree', () => {
    expect(decideMover(move, [mine(), ada(line('tip', 90))], new Set())).toEqual({ commit: 'tip', agent: 'ada' });
  });

  it('when only a branch or a pin of an agent has one of the commits', () => {
    expect(decideMover(move, [mine()], new Set(['work']))).toEqual({ commit: 'work', agent: null });
  });

  it('when a person had the commit checked out long before, which moves nothing', () => {
    expect(decideMover(move, [mine(line('tip', 50)), ada(line('tip', 40))], new Set())).toMatchObject({ agent: 'ada' });
  });

  it('when the reflog of the target was taken away', () => {
    expect(decideMover({ ...move, line: undefined }, [mine(line('tip')), ada(line('tip'))], new Set())).toMatchObject({ agent: 'ada' });
  });
});

describe('it was not, as far as can be known,', () => {
  it('when a checkout of a person got there at the same moment', () => {
    expect(decideMover(move, [mine(line('tip', 101)), ada(line('tip', 90))], new Set(['work']))).toBeUndefined();
  });

  it('when none of the commits is an agent’s', () => {
    expect(decideMover(move, [mine(), ada(line('other'))], new Set())).toBeUndefined();
  });

  it('when reflogs are switched off', () => {
    expect(decideMover(move, [{ agent: null, lines: [] }, ada(line('tip'))], new Set(['work']))).toBeUndefined();
  });
});

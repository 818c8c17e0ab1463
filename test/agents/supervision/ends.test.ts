import { expect, it } from 'vitest';
import { planEnds, type SeenAgent, type SeenAttempt } from '../../../src/agents/supervision/ends.ts';

const attempt: SeenAttempt = {
  id: 7,
  agent: 'ada',
  state: 'running',
  exited: false,
  alive: true,
  orphaned: false,
  deadline: null,
  saidAt: null,
  turnOver: false,
  goesOn: false,
  turns: false,
  taken: false,
};
const agent: SeenAgent = { name: 'ada', state: 'working', stopNow: false };
const ends = (seen: Partial<SeenAttempt>, of: Partial<SeenAgent> = {}, now = 0) =>
  planEnds([{ ...attempt, ...seen }], [{ ...agent, ...of }], now).map((end) => end.why);

it('leaves an attempt alone that lives', () => expect(ends({})).toEqual([]));
it('ends an attempt that left an exit code', () => expect(ends({ exited: true, alive: false })).toEqual(['exit']));
it('ends an attempt whose process is gone', () => expect(ends({ alive: false })).toEqual(['gone']));
it('does nothing when it cannot tell whether the process lives', () => expect(ends({ alive: undefined })).toEqual([]));
it('ends an attempt that lost its terminal', () => expect(ends({ orphaned: true })).toEqual(['gone']));
it('does not touch one that is still being started', () => expect(ends({ state: 'starting', alive: false })).toEqual([]));
it('stops the attempt of an agent that is being stopped', () => expect(ends({}, { state: 'stopping' })).toEqual(['stop']));
it('ends it at its deadline and not before', () =>
  expect([ends({ deadline: 10 }, {}, 9), ends({ deadline: 10 }, {}, 10)]).toEqual([[], ['timeout']]));
it('gives an agent that said it is done time to tidy up', () =>
  expect([ends({ saidAt: 0 }, {}, 4999), ends({ saidAt: 0 }, {}, 5000)]).toEqual([[], ['said']]));
it('takes the exit code over a stop that came at the same time', () =>
  expect(ends({ exited: true }, { state: 'stopping' })).toEqual(['exit']));

import { expect, it } from 'vitest';
import { holds, type ProviderLimit, resumeAt, step } from '../../../../src/agents/supervision/provider/state.ts';

const MINUTE = 60_000;
const note = (known: ProviderLimit | undefined, at: number, until: number | null = null) =>
  step(known, { on: 'refused', provider: 'anthropic', until, at, text: `limit at ${at}` })!;
const until = (known: ProviderLimit | undefined, now: number) => (holds(known, now) ? known.until : undefined);

it('pauses the provider until the time it named', () => {
  const known = note(undefined, 1_000, 90 * MINUTE);
  expect([until(known, 1_000), until(known, 90 * MINUTE)]).toEqual([90 * MINUTE, undefined]);
});
it('is one event for all agents that meet it before it ends, and another for those that meet it after', () => {
  const known = [1_000, 2_000, 50_000].reduce<ProviderLimit | undefined>((before, at) => note(before, at), undefined);
  expect(known).toMatchObject({ since: 1_000, at: 50_000, times: 1, until: 1_000 + MINUTE });
  expect(note(known, 70_000)).toMatchObject({ since: 70_000, times: 2, until: 70_000 + 2 * MINUTE });
  const named = note(note(undefined, 0, 5_000), 6_000);
  expect(named).toMatchObject({ since: 6_000, stated: false, until: 6_000 + 2 * MINUTE });
});
it('backs off 1, 2, 4 … 30 minutes when no time is known', () => {
  let [known, at]: [ProviderLimit | undefined, number] = [undefined, 0];
  const rests = Array.from({ length: 7 }, () => {
    known = note(known, at);
    const end = until(known, at)!;
    const rest = (end - at) / MINUTE;
    at = end + 2 * MINUTE;
    return rest;
  });
  expect(rests).toEqual([1, 2, 4, 8, 16, 30, 30]);
  expect(until(note(known, at + 31 * MINUTE), at + 31 * MINUTE)).toBe(at + 32 * MINUTE);
});
it('takes the time that is named over its own guess, the latest of several, and no time in the past or weeks away', () => {
  const guessed = note(undefined, 0);
  expect(until(note(guessed, 10, 20_000), 10)).toBe(20_000);
  expect(until(note(note(guessed, 10, 90_000), 20, 30_000), 20)).toBe(90_000);
  expect([until(note(undefined, 100, 50), 100), until(note(undefined, 100, 1e12), 100)]).toEqual([100 + MINUTE, 100 + MINUTE]);
});
it('is over when an agent that was refused is served, unless the provider named a time', () => {
  const guessed = step(note(undefined, 0), { on: 'served', at: 10 });
  expect(until(guessed, 10)).toBeUndefined();
  expect(step(note(undefined, 0, 90_000), { on: 'served', at: 10 })).toBeUndefined();
  expect(note(guessed, 20)).toMatchObject({ times: 2, until: 20 + 2 * MINUTE });
});
it('that nobody met, or that is over, is not ended by being served', () =>
  expect([step(undefined, { on: 'served', at: 10 }), step(note(undefined, 0), { on: 'served', at: 2 * MINUTE })]).toEqual([
    undefined,
    undefined,
  ]));
it('lets agents go on one after the other', () => {
  const times = [0, 1, 2].map((index) => resumeAt(index, 1_000));
  expect(times).toEqual([6_000, 9_000, 12_000]);
});

import { expect, it } from 'vitest';
import { limitedProviders, noteLimit, type ProviderLimit, resumeAt, served } from '../../src/provider/limit.ts';

const MINUTE = 60_000;
const note = (known: readonly ProviderLimit[], at: number, until: number | null = null, provider = 'anthropic') =>
  noteLimit(known, { provider, until, at, text: `limit at ${at}` });
const until = (known: readonly ProviderLimit[], now: number) => limitedProviders(known, now).get('anthropic')?.until;

it('pauses the provider until the time it named, and no other', () => {
  const known = note([], 1_000, 90 * MINUTE);
  expect([until(known, 1_000), until(known, 90 * MINUTE), limitedProviders(known, 1_000).has('openai')]).toEqual([
    90 * MINUTE,
    undefined,
    false,
  ]);
});
it('is one event for all agents that meet it before it ends, and another for those that meet it after', () => {
  const known = [1_000, 2_000, 50_000].reduce((all, at) => note(all, at), [] as ProviderLimit[]);
  expect(known).toMatchObject([{ since: 1_000, at: 50_000, times: 1, until: 1_000 + MINUTE }]);
  expect(note(known, 70_000)).toMatchObject([{ since: 70_000, times: 2, until: 70_000 + 2 * MINUTE }]);
  const named = note(note([], 0, 5_000), 6_000);
  expect(named).toMatchObject([{ since: 6_000, stated: false, until: 6_000 + 2 * MINUTE }]);
});
it('backs off 1, 2, 4 … 30 minutes when no time is known', () => {
  let [known, at]: [ProviderLimit[], number] = [[], 0];
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
  const guessed = note([], 0);
  expect(until(note(guessed, 10, 20_000), 10)).toBe(20_000);
  expect(until(note(note(guessed, 10, 90_000), 20, 30_000), 20)).toBe(90_000);
  expect([until(note([], 100, 50), 100), until(note([], 100, 1e12), 100)]).toEqual([100 + MINUTE, 100 + MINUTE]);
});
it('is over when an agent that was refused is served, unless the provider named a time', () => {
  const guessed = served(note(note([], 0), 0, null, 'openai'), 'anthropic', 10);
  expect([until(guessed, 10), limitedProviders(guessed, 10).has('openai')]).toEqual([undefined, true]);
  expect(until(served(note([], 0, 90_000), 'anthropic', 10), 10)).toBe(90_000);
  expect(note(guessed, 20).find((limit) => limit.provider === 'anthropic')).toMatchObject({ times: 2, until: 20 + 2 * MINUTE });
});
it('keeps what is known of other providers', () =>
  expect(note(note([], 0), 5, null, 'openai').map((limit) => limit.provider)).toEqual(['anthropic', 'openai']));
it('lets agents go on one after the other', () => {
  const times = [0, 1, 2].map((index) => resumeAt(index, 1_000));
  expect(times).toEqual([6_000, 9_000, 12_000]);
});

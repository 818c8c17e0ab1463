import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDuration } from '../../src/config/duration.ts';
import { configKeys } from '../../src/config/keys.ts';
import { editDistance, suggest } from '../../src/platform/suggest.ts';

describe('a time', () => {
  const is = (text: string, ms: number | undefined) => () => expect(parseDuration(text)).toBe(ms);
  it('30m', is('30m', 1_800_000));
  it('10s', is('10s', 10_000));
  it('1h30m', is('1h30m', 5_400_000));
  it('500ms', is('500ms', 500));
  it('1h1m1s1ms', is('1h1m1s1ms', 3_661_001));
  it('no unit', is('10', undefined));
  it('nothing', is('', undefined));
  it('zero', is('0s', undefined));
  it('wrong order', is('30m1h', undefined));
  it('a fraction', is('1.5h', undefined));
  it('less than none', is('-1s', undefined));
});

describe('what was meant', () => {
  const keys = ['parallel', 'agent', 'agents', 'attempts', 'check', 'checks', 'run_usd'];
  const means = (word: string, key: string | undefined) => () => expect(suggest(word, keys)).toBe(key);
  it('a letter short', means('paralel', 'parallel'));
  it('two letters swapped', means('chekc', 'check'));
  it('another case', means('Parallel', 'parallel'));
  it('another spelling of words', means('runUsd', 'run_usd'));
  it('the nearest of two', means('agnets', 'agents'));
  it('nothing near', means('colour', undefined));
  it('nothing at all', () => expect(suggest('x', [])).toBeUndefined());

  it('is measured alike both ways, and zero only for the same word', () => {
    const word = fc.string({ maxLength: 8 });
    fc.assert(fc.property(word, word, (a, b) => editDistance(a, b) === editDistance(b, a) && (editDistance(a, b) === 0) === (a === b)));
  });
});

describe('the reference', () => {
  const keys = configKeys();
  const entry = (key: string) => keys.find((k) => k.key === key);
  it('says of every key what it is and what for', () => {
    expect(keys.filter((k) => !k.type || !k.description)).toEqual([]);
    expect(new Set(keys.map((k) => k.key)).size).toBe(keys.length);
  });
  it('has defaults as they are written', () => {
    expect(entry('parallel')).toEqual({
      key: 'parallel',
      type: 'a whole number from 1 to 500',
      default: '4',
      description: expect.any(String),
    });
    expect(entry('checks[].timeout')?.default).toBe('10m');
    expect(entry('queue')?.default).toBeUndefined();
  });
  it('goes into sections, lists and kinds', () => {
    expect(keys.map((k) => k.key)).toEqual(
      expect.arrayContaining(['queue.slots', 'checks[].run', 'agents.<kind>.driver', 'worktree.env', 'resources']),
    );
  });
});

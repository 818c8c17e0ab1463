import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FarmEvent } from '../../../src/api/contract.ts';
import { findsEvent, findsLine, marked, parseSearch } from '../../../src/tell/face/search.ts';

const event: FarmEvent = {
  seq: 1,
  at: '2026-03-01T10:00:00.000Z',
  kind: 'landing.landed',
  agent: 'a-1',
  task: '12',
  attempt: 1,
  text: 'landed 12 as Abc',
  data: {},
};

describe('a search in events', () => {
  it.each([
    ['', true],
    ['abc', true],
    ['LANDED as', true],
    ['"landed 12"', true],
    ['"12 as landed"', false],
    ['task:12', true],
    ['task:1', false],
    ['agent:A-1 kind:landing', true],
    ['kind:land', true],
    ['kind:landing.published', false],
    ['-kind:landing', false],
    ['-agent:a-2 abc', true],
    ['task:', true],
    ['-task:', true],
    ['-abc', false],
    ['"as Abc', true],
    ['agent:"a-1"', true],
  ])('%j finds it: %s', (typed, is) => expect(findsEvent(parseSearch(typed), event)).toBe(is));

  it('finds nothing by a name in an event that names nobody', () => {
    expect(findsEvent(parseSearch('agent:a-1'), { ...event, agent: null })).toBe(false);
  });
});

it('in lines of a log only the words count', () => {
  expect(findsLine(parseSearch('task:9 error'), '  Error: no')).toBe(true);
  expect(findsLine(parseSearch('error fatal'), '  Error: no')).toBe(false);
});

it('marks what was found, also where two words overlap', () => {
  expect(marked(parseSearch('and landed'), 'it landed and').map((piece) => (piece.found ? `[${piece.text}]` : piece.text))).toEqual([
    'it ',
    '[landed]',
    ' ',
    '[and]',
  ]);
});

it('marking never changes a text', () => {
  fc.assert(
    fc.property(fc.string(), fc.string({ unit: 'grapheme' }), (typed, text) => {
      expect(
        marked(parseSearch(typed), text)
          .map((piece) => piece.text)
          .join(''),
      ).toBe(text);
    }),
  );
});

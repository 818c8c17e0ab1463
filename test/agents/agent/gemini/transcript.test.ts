import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { holds, transcript } from '../../../../src/agents/agent/drivers/gemini/transcript.ts';

/** Fourteen prompts to gemini 0.61.0, some of them stopped or failed, in one conversation that was killed and resumed. */
const lines = readFileSync(new URL('data/transcript.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n');

function read(since: number) {
  const made = transcript(since);
  return { made, told: lines.flatMap((line) => made.take(line) ?? []) };
}

it('tells of each turn that was stopped or failed, once', () => {
  expect(read(0).told.map((event) => (event.on === 'turn-failed' ? event.why : event.on))).toEqual([
    'interrupted',
    'auth',
    'interrupted',
    'interrupted',
  ]);
});

it('of what was written before nothing is told, but what was used counts', () => {
  const { made, told } = read(Date.parse('2027-01-01'));
  expect(told).toEqual([]);
  const ids = new Map<string, { input: number; output: number }>();
  for (const line of lines) {
    const entry = JSON.parse(line) as { id?: string; tokens?: { input: number; output: number } };
    if (entry.id && entry.tokens) ids.set(entry.id, entry.tokens);
  }
  const sum = (key: 'input' | 'output') => [...ids.values()].reduce((total, tokens) => total + tokens[key], 0);
  expect(made.changed()).toEqual({ input: sum('input'), output: sum('output'), cacheRead: 0, cacheWrite: 0, model: 'gemini-2.5-flash' });
  expect(made.changed()).toBeUndefined();
});

it('a turn that was stopped is past when the next one has begun', () => {
  const stopped = lines.findIndex((line) => line.includes('Request cancelled.'));
  const made = transcript(0);
  for (const line of lines.slice(0, stopped + 1)) made.take(line);
  expect(made.ended).toEqual({ on: 'interrupted' });
  made.take('{"id":"next","type":"user","content":[{"text":"go on"}]}');
  expect(made.ended).toBeUndefined();
});

it.each([
  ['[furrow m6]', true, 'a prompt'],
  ['[furrow m8]', true, 'what was told beside the result of a tool'],
  ['[furrow m9]', true, 'what was said at the end of a turn'],
  ['[furrow m77]', false, 'nothing'],
])('the stamp %s is found (%s) as %s', (stamp, found) => {
  expect(lines.some((line) => holds(line, stamp))).toBe(found);
});

it('a prompt that gemini took back after its turn failed is forgotten, until it is said again', () => {
  const made = transcript(0);
  const task = '{"id":"a","type":"user","content":[{"text":"# Task 1: \\"one\\""}]}';
  expect(made.remembers('# Task 1: "one"')).toBe('never said');
  made.take(task);
  expect(made.remembers('# Task 1: "one"')).toBe('yes');
  made.take('{"$set":{"messages":[]}}');
  expect(made.remembers('# Task 1: "one"')).toBe('forgotten');
  made.take(task.replace('"a"', '"b"'));
  expect(made.remembers('# Task 1: "one"')).toBe('yes');
});

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { screen } from '../../../../src/agents/agent/drivers/opencode/screen.ts';

const recorded = (name: string) => readFileSync(new URL(`data/${name}.txt`, import.meta.url), 'utf8');

it.each([
  ['idle', { state: 'idle', draft: '' }],
  ['interrupted', { state: 'idle', detail: 'interrupted', draft: '' }],
  ['working-queued', { state: 'working', draft: '' }],
  ['ratelimit', { state: 'limited', detail: 'retrying', draft: '' }],
  ['permission', { state: 'waiting', detail: 'permission', draft: undefined }],
  ['question', { state: 'waiting', detail: 'question', draft: undefined }],
])('a recorded screen of opencode: %s', (name, reading) => {
  expect(screen(recorded(name))).toEqual(reading);
});

it('what a person has typed is their draft', () => {
  const typed = recorded('idle').replace(/(▣ .*\n\n {2}┃\n {2}┃)\n/, '$1  half a thought\n');
  expect(screen(typed)).toMatchObject({ state: 'idle', draft: 'half a thought' });
});

it('a screen that is none of its own is unknown', () => {
  expect(screen('$ ls\nREADME.md\n')).toEqual({ state: 'unknown', draft: undefined });
});

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { screen, title } from '../../../../src/agents/agent/drivers/gemini/screen.ts';

const recorded = (name: string) => readFileSync(new URL(`data/${name}.txt`, import.meta.url), 'utf8');

it.each([
  ['idle', { state: 'idle', draft: '' }],
  ['interrupted', { state: 'idle', detail: 'interrupted', draft: '' }],
  ['error-401', { state: 'idle', detail: 'auth', draft: '' }],
  ['working-queued', { state: 'working', draft: '' }],
  ['permission', { state: 'waiting', detail: 'permission', draft: undefined }],
  ['question', { state: 'waiting', detail: 'question', draft: undefined }],
  ['trust', { state: 'waiting', detail: 'trust', draft: undefined }],
  ['login', { state: 'waiting', detail: 'login', draft: undefined }],
])('a recorded screen of gemini: %s', (name, reading) => {
  expect(screen(recorded(name))).toEqual(reading);
});

it('what a person has typed is their draft, whatever sign the mode gives the line', () => {
  const typed = recorded('idle').replace(' >   Type your message or @path/to/file', ' * half a thought');
  expect(screen(typed)).toEqual({ state: 'idle', draft: 'half a thought' });
});

it.each([
  ['◇  Ready (repo)      ', { state: 'idle' }],
  ['✦  Working… (repo)', { state: 'working' }],
  ['✋  Action Required (repo)', { state: 'waiting' }],
  ['~/repo', undefined],
])('a title of gemini: %s', (shown, reading) => {
  expect(title(shown)).toEqual(reading);
});

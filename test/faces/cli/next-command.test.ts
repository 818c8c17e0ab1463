import { expect, it } from 'vitest';
import { nextCommand } from '../../../src/faces/cli/view/next-command.ts';
import { TASK_STATES } from '../../../src/tell/face/states.ts';

const reason = (code: string, text = code, refs: string[] = []) => ({ code, text, refs });
const next = (state: string, ...reasons: ReturnType<typeof reason>[]) => nextCommand({ subject: '3', state, reasons });

it('names the subject, or what the reason names', () => {
  expect(next('parked', reason('parked'))).toBe('furrow show 3, then: furrow retry 3');
  expect(next('waiting', reason('waits-for', 'waits for 2', ['default/2']))).toBe('furrow why 2');
  expect(next('waiting', reason('waits-for', 'waits for 2', ['api/2']))).toBe('furrow why api/2');
  expect(next('leased', reason('running', 'ada works on it', ['ada']))).toBe('furrow attach ada');
});

it('lets what waits for a person decide', () => {
  expect(next('submitted', reason('behind'), reason('approval'))).toBe('furrow diff 3, then: furrow approve 3');
  expect(next('ready', reason('waits-for', '', ['default/2']), reason('trust'))).toBe('furrow trust');
});

it('says nothing twice', () => {
  expect(next('ready', reason('phase-idle', 'nobody works on phase default (start it: furrow work)'))).toBeUndefined();
});

it('tells a paused queue from a paused farm', () => {
  expect(next('ready', reason('paused'))).toBe('furrow resume');
  expect(next('submitted', reason('paused'))).toBe('furrow queue resume');
});

it('has a command for every state of a task', () => {
  for (const state of Object.keys(TASK_STATES)) expect(next(state)).toMatch(/^furrow \w+/);
});

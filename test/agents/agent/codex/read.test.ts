import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codex } from '../../../../src/agents/agent/drivers/codex/index.ts';
import { askedFor, innerCommand, troubleOf, usageOf } from '../../../../src/agents/agent/drivers/codex/read.ts';
import { worded } from '../../../../src/agents/agent/drivers/codex/requests.ts';
import { shellQuote } from '../../../../src/platform/shell.ts';

const samples = join(import.meta.dirname, 'samples');
const SCREENS: Record<string, unknown> = {
  'error-401': { state: 'idle', detail: 'auth', draft: '' },
  idle: { state: 'idle', draft: '' },
  interrupted: { state: 'idle', detail: 'interrupted', draft: '' },
  login: { state: 'waiting', detail: 'login', draft: undefined },
  permission: { state: 'waiting', detail: 'permission', draft: undefined },
  ratelimit: { state: 'limited', detail: 'limit', draft: '' },
  trust: { state: 'waiting', detail: 'trust', draft: undefined },
  'working-queued': { state: 'working', draft: '' },
};

describe('a screen', () => {
  it('has a reading for every sample', () => {
    const names = readdirSync(samples).flatMap((name) => /^codex-screen-(.*)\.txt$/.exec(name)?.[1] ?? []);
    expect(names.sort()).toEqual(Object.keys(SCREENS).sort());
  });

  it.each(Object.entries(SCREENS))('%s is read as recorded', (name, reading) => {
    expect(codex.screen!(readFileSync(join(samples, `codex-screen-${name}.txt`), 'utf8'))).toEqual(reading);
  });

  it('tells what a person has typed, and nothing of a screen that is not codex', () => {
    const idle = readFileSync(join(samples, 'codex-screen-idle.txt'), 'utf8');
    expect(codex.screen!(idle.replace('› Ask Codex to do anything', '› please wait'))).toEqual({ state: 'idle', draft: 'please wait' });
    expect(codex.screen!('$ make\nok\n')).toEqual({ state: 'unknown', draft: undefined });
  });
});

it.each([
  ['⠋ repo-1', { state: 'working' }],
  ['[ ! ] Action Required | repo-1', { state: 'waiting' }],
  ['[ . ] Action Required | repo-1', { state: 'waiting' }],
  ['repo-1', undefined],
])('the title %s is read as %o', (title, reading) => {
  expect(codex.title!(title)).toEqual(reading);
});

const http = (httpStatusCode: number | null) => ({ responseStreamDisconnected: { httpStatusCode } });
it.each([
  [http(401), 'auth'],
  [http(429), 'limit'],
  [http(529), 'overloaded'],
  [http(null), 'overloaded'],
  [http(400), 'error'],
  ['contextWindowExceeded', 'context'],
  ['usageLimitExceeded', 'limit'],
  ['internalServerError', 'overloaded'],
  ['badRequest', 'error'],
  [null, 'error'],
])('the error %o is trouble of the kind %s', (codexErrorInfo, why) => {
  expect(troubleOf({ message: 'm', codexErrorInfo }, {})).toEqual({ why, text: 'm' });
});

it('a limit lasts until the last window that is used up begins anew', () => {
  const limits = { primary: { usedPercent: 100, resetsAt: 2000 }, secondary: { usedPercent: 40, resetsAt: 9000 } };
  expect(troubleOf({ message: 'm', codexErrorInfo: 'usageLimitExceeded' }, limits)).toMatchObject({ until: 2_000_000 });
  expect(troubleOf({ message: 'm', codexErrorInfo: 'unauthorized' }, limits)).not.toHaveProperty('until');
});

it('usage counts what came from a cache once', () => {
  const total = { totalTokens: 130, inputTokens: 100, cachedInputTokens: 60, outputTokens: 30 };
  expect(usageOf({ total, last: total, modelContextWindow: 260 }, 'gpt')).toEqual({
    input: 40,
    output: 30,
    cacheRead: 60,
    cacheWrite: 0,
    model: 'gpt',
    context: 0.5,
  });
});

it('the command inside the shell is what rules see, and nothing that merely looks like one', () => {
  fc.assert(fc.property(fc.string(), (script) => innerCommand(`/bin/bash -lc ${shellQuote(script)}`) === script));
  expect(innerCommand(`bash -lc "echo \\"hi\\""`)).toBe('echo "hi"');
  for (const line of [`bash -lc 'ls' rm`, `bash -lc 'ls`, 'git status', `notbash -lc 'ls'`]) expect(innerCommand(line)).toBe(line);
});

it('a patch that was not told of may touch anything', () => {
  expect(askedFor('item/fileChange/requestApproval', { itemId: 'i' }, undefined)?.paths).toEqual(['/']);
  const item = { type: 'fileChange', id: 'i', changes: [{ path: 'a', kind: { move_path: 'b' } }] };
  expect(askedFor('item/fileChange/requestApproval', { itemId: 'i' }, item)?.paths).toEqual(['a', 'b']);
});

it('an answer is given to the question it belongs to', () => {
  const params = {
    questions: [
      { id: 'x', question: 'which?' },
      { id: 'y', question: 'when?' },
    ],
  };
  expect(worded('item/tool/requestUserInput', params, { do: 'answer', answers: [[], ['now']] })).toEqual({
    answers: { y: { answers: ['now'] } },
  });
  expect(worded('item/commandExecution/requestApproval', {}, { do: 'pass' })).toBeUndefined();
});

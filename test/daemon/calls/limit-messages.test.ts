import { expect, it } from 'vitest';
import type { Caller } from '../../../src/api/caller.ts';
import type { CallContext, Handlers } from '../../../src/api/server.ts';
import { limitWords } from '../../../src/daemon/calls/limit-messages.ts';

const MINUTE = 60_000;

/** Handlers that take whatever they are given, behind the limits, at a time that the test sets. */
function words() {
  const at = { now: 0 };
  const taken: string[] = [];
  const heard: object[] = [];
  const take = (name: string) => async (said: object) => {
    taken.push(name);
    heard.push(said);
  };
  const names = ['notify', 'ask', 'progress', 'done', 'blocked', 'inbox'];
  const handlers = Object.fromEntries(names.map((name) => [name, take(name)])) as unknown as Handlers;
  const limited = limitWords(handlers, () => at.now) as unknown as Record<string, (said: object, context: CallContext) => Promise<void>>;
  const say = (name: string, said: object, by?: string) =>
    limited[name]!(said, { caller: by === undefined ? { kind: 'person' } : agent(by), signal: new AbortController().signal, item() {} });
  return { at, taken, heard, say };
}

const agent = (name: string): Caller => {
  const speaker = { agent: name, task: '1', phase: 'p', attempt: 1 };
  return { kind: 'agent', attempt: 1, agent: name, orchestrator: false, speaker, ended: false };
};

it('takes 30 messages a minute of an agent, of each agent on its own, and any number of a person', async () => {
  const { say, taken } = words();
  for (let n = 0; n < 30; n++) await say(n % 2 ? 'notify' : 'ask', { to: 'bob', text: 'x' }, 'ada');
  await expect(say('notify', { to: 'bob', text: 'x' }, 'ada')).rejects.toMatchObject({
    code: 'TRY_AGAIN',
    message: 'ada has sent 30 messages within a minute, and no more are taken',
  });
  await say('notify', { to: 'ada', text: 'x' }, 'bob');
  for (let n = 0; n < 100; n++) await say('notify', { to: 'ada', text: 'x' });
  expect(taken).toHaveLength(131);
});

it('takes more when a minute has passed, and what was refused does not count', async () => {
  const { say, at, taken } = words();
  for (let n = 0; n < 40; n++) await say('progress', { text: 'x' }, 'ada').catch(() => {});
  expect(taken).toHaveLength(30);
  at.now = MINUTE;
  await say('progress', { text: 'x' }, 'ada');
  expect(taken).toHaveLength(31);
});

it('an agent that talks too much can still say that it is done', async () => {
  const { say, taken } = words();
  for (let n = 0; n < 40; n++) await say('progress', { text: 'x' }, 'ada').catch(() => {});
  await say('done', { summary: 'all of it' }, 'ada');
  expect(taken.at(-1)).toBe('done');
});

it.each([
  ['notify', { to: 'ada' }, 'text'],
  ['ask', {}, 'text'],
  ['progress', {}, 'text'],
  ['done', {}, 'summary'],
  ['blocked', {}, 'reason'],
])('%s takes 64 KiB of text and no more, whoever sends it', async (name, said, field) => {
  const { say, taken } = words();
  await say(name, { ...said, [field]: 'x'.repeat(65_536) }, 'ada');
  await expect(say(name, { ...said, [field]: 'é'.repeat(32_769) }, 'ada')).rejects.toMatchObject({
    code: 'USAGE',
    message: /65538 bytes; at most 65536/,
  });
  expect(taken).toEqual([name]);
});

it('a secret is taken out of the words of an agent, and a person is told that it is one', async () => {
  const { say, taken, heard } = words();
  // In two parts, so that nobody's screen finds a key in this file.
  const text = `use AKIA${'Z7Q2M4N6P8R3T5V9'} for it`;
  await say('notify', { to: 'bob', text }, 'ada');
  expect(heard).toEqual([{ to: 'bob', text: 'use AKIA… for it' }]);
  await expect(say('notify', { to: 'bob', text })).rejects.toMatchObject({ code: 'USAGE', message: /holds a secret/ });
  expect(taken).toEqual(['notify']);
});

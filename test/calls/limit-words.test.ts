import { expect, it } from 'vitest';
import type { CallContext, Handlers } from '../../src/api/server.ts';
import { limitWords } from '../../src/calls/limit-words.ts';

const MINUTE = 60_000;

/** Handlers that take whatever they are given, behind the limits, at a time that the test sets. */
function words() {
  const at = { now: 0 };
  const taken: string[] = [];
  const take = (name: string) => async () => taken.push(name);
  const names = ['notify', 'ask', 'progress', 'done', 'blocked', 'inbox'];
  const handlers = Object.fromEntries(names.map((name) => [name, take(name)])) as unknown as Handlers;
  const limited = limitWords(handlers, () => at.now) as unknown as Record<string, (said: object, context?: CallContext) => Promise<void>>;
  return { at, taken, say: (name: string, said: object) => limited[name]!(said) };
}

const speaker = (agent: string) => ({ agent, task: '1', phase: 'p', attempt: 1 });

it('takes 30 messages a minute of an agent, of each agent on its own, and any number of a person', async () => {
  const { say, taken } = words();
  for (let n = 0; n < 30; n++)
    await say(n % 2 ? 'notify' : 'ask', n % 2 ? { from: speaker('ada'), to: 'bob', text: 'x' } : { speaker: speaker('ada'), text: 'x' });
  await expect(say('notify', { from: speaker('ada'), to: 'bob', text: 'x' })).rejects.toMatchObject({
    code: 'TRY_AGAIN',
    message: 'ada has sent 30 messages within a minute, and no more are taken',
  });
  await say('notify', { from: speaker('bob'), to: 'ada', text: 'x' });
  for (let n = 0; n < 100; n++) await say('notify', { to: 'ada', text: 'x' });
  expect(taken).toHaveLength(131);
});

it('takes more when a minute has passed, and what was refused does not count', async () => {
  const { say, at, taken } = words();
  for (let n = 0; n < 40; n++) await say('progress', { speaker: speaker('ada'), text: 'x' }).catch(() => {});
  expect(taken).toHaveLength(30);
  at.now = MINUTE;
  await say('progress', { speaker: speaker('ada'), text: 'x' });
  expect(taken).toHaveLength(31);
});

it('an agent that talks too much can still say that it is done', async () => {
  const { say, taken } = words();
  for (let n = 0; n < 40; n++) await say('progress', { speaker: speaker('ada'), text: 'x' }).catch(() => {});
  await say('done', { speaker: speaker('ada'), summary: 'all of it' });
  expect(taken.at(-1)).toBe('done');
});

it.each([
  ['notify', { to: 'ada' }, 'text'],
  ['ask', { speaker: speaker('ada') }, 'text'],
  ['progress', { speaker: speaker('ada') }, 'text'],
  ['done', { speaker: speaker('ada') }, 'summary'],
  ['blocked', { speaker: speaker('ada') }, 'reason'],
])('%s takes 64 KiB of text and no more, whoever sends it', async (name, said, field) => {
  const { say, taken } = words();
  await say(name, { ...said, [field]: 'x'.repeat(65_536) });
  await expect(say(name, { ...said, [field]: 'é'.repeat(32_769) })).rejects.toMatchObject({
    code: 'USAGE',
    message: /65538 bytes; at most 65536/,
  });
  expect(taken).toEqual([name]);
});

import { describe, expect, it } from 'vitest';
import { anthropic } from '../support/model/anthropic.ts';
import { placeOf } from '../support/model/conversation.ts';
import { directiveIn } from '../support/model/directive.ts';
import { timesSeen } from '../support/model/record.ts';
import { steps } from '../support/model/script.ts';
import { startModel } from '../support/model/server.ts';
import { clients } from './clients.ts';

const ask = clients['anthropic']!;
const user = (text: string) => ({ is: 'user', text }) as const;
const [said, called, result] = [{ is: 'said' }, { is: 'called' }, { is: 'result' }] as const;

describe('where a conversation stands', () => {
  const task = user(steps({ sh: 'x' }));
  it.each([
    ['a task that has just come', [task], 0],
    ['each tool that answered is a step', [task, called, result, said, called, result], 2],
    ['a message between tools is none', [task, called, result, user('[furrow m1] hi'), called, result], 2],
    ['a turn that ended and was continued is one', [task, called, result, said, user('commit it'), user('really')], 2],
    ['words before a call are none', [task, said, called, result], 1],
    ['a new task begins at its own start', [task, called, result, said, task], 0],
  ])('%s', (_name, items, step) => expect(placeOf(items).step).toBe(step));
});

it('what claude itself puts between a turn that was cut off and the next prompt is no step', () => {
  const messages = [
    { role: 'user', content: steps({ sh: 'x' }, { say: 'y' }) },
    { role: 'assistant', content: [{ type: 'tool_use' }] },
    { role: 'user', content: [{ type: 'tool_result' }] },
    { role: 'assistant', content: 'No response requested.' },
    { role: 'system', content: 'The following servers have disconnected.' },
    { role: 'user', content: 'Go on.' },
  ];
  expect(placeOf(anthropic.read({ messages }, '/v1/messages').items).step).toBe(1);
});

describe('the directive of a text', () => {
  const script = steps({ sh: 'test -e a && echo "[[x]]" > b' });
  it.each([
    ['is found in the middle of it', `do\n${script}\nnow`],
    ['is the last one', `[[plan: text]] and ${steps({ say: 'no' })} ${script}`],
    ['is read from XML', script.replaceAll('&', '&amp;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')],
    ['is read from within quotes', JSON.stringify(`say: ${script}`)],
  ])('%s', (_name, text) => expect(directiveIn(text)).toBe(`steps ${script.slice(9, -2)}`));
  it('is none when it is broken', () => expect(directiveIn('[[steps: [{"sh":] ]]')).toBeUndefined());
});

it('an answer is held until the test lets it go, however often the client asks', async () => {
  await using model = await startModel();
  const turns = [{ user: steps({ hold: 'door' }, { say: 'Through.' }) }];
  const impatient = new AbortController();
  const first = ask(model.url, { turns, stream: true, signal: impatient.signal });
  await model.held('door');
  impatient.abort();
  await expect(first).rejects.toThrow();
  const second = ask(model.url, { turns, stream: true });
  await model.held('door', 2);
  expect(model.requests().map(({ answer }) => answer)).toEqual([undefined, undefined]);
  model.release('door');
  expect(await second).toMatchObject({ say: 'Through.' });
  expect(await ask(model.url, { turns, stream: true })).toMatchObject({ say: 'Through.' });
});

it('a step that fails some times fails exactly so often, then goes on to what follows it', async () => {
  await using model = await startModel();
  const turns = [{ user: steps({ error: 429, times: 2 }, { error: 500, times: 1 }, { say: 'At last.' }) }];
  const statuses = [];
  for (const _ of [1, 2, 3, 4]) statuses.push((await ask(model.url, { turns, stream: true })).status);
  expect(statuses).toEqual([429, 429, 500, 200]);
});

it('a key can be made to fail, for a number of requests or until it is repaired, and no other key with it', async () => {
  await using model = await startModel();
  const status = async (key: string) => (await ask(model.url, { turns: [{ user: 'hi' }], stream: true, key })).status;
  model.fail('sk-a', { status: 401 }, 1);
  expect([await status('sk-a'), await status('sk-b'), await status('sk-a')]).toEqual([401, 200, 200]);
  model.fail('sk-a', { status: 403 });
  expect([await status('sk-a'), await status('sk-a')]).toEqual([403, 403]);
  model.mend('sk-a');
  expect(await status('sk-a')).toBe(200);
});

it('the record tells how often a text reached the model', async () => {
  await using model = await startModel();
  const turns = [{ user: '[furrow m1] "hi"' }, { said: 'yes' }, { user: 'go on' }];
  await ask(model.url, { turns, stream: true });
  await ask(model.url, { turns: [...turns, { said: 'yes' }, { user: '[furrow m2]' }], stream: true });
  expect([timesSeen(model.requests(), '[furrow m1] "hi"'), timesSeen(model.requests(), '[furrow m3]')]).toEqual([1, 0]);
  await ask(model.url, { turns: [...turns, { user: '[furrow m1] "hi"' }], stream: true });
  expect(timesSeen(model.requests(), '[furrow m1] "hi"')).toBe(2);
});

it.each(['anthropic', 'responses'])(
  '%s: a conversation that is too long is so for a summary of it too, and a new one is not',
  async (name) => {
    await using model = await startModel();
    const say = (text: string, session: string) => clients[name]!(model.url, { turns: [{ user: text }], stream: true, session });
    const script = steps({ overflow: true }, { say: 'Goes on.' });
    expect((await say(script, 'one')).error).toMatch(/too long|context/);
    expect((await say('Sum up what was said.', 'one')).error).toMatch(/too long|context/);
    expect(await say(script, 'two')).toMatchObject({ status: 200, say: 'Goes on.' });
    expect((await say(script, 'one')).error).toMatch(/too long|context/);
  },
);

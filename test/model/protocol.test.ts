import { describe, expect, it } from 'vitest';
import { type Entry, steps } from '../support/model/script.ts';
import { type Model, startModel } from '../support/model/server.ts';
import { clients, type Heard, type Turn } from './clients.ts';

const task = (...entries: Entry[]): Turn => ({ user: `Do this: ${steps(...entries)} please` });

describe.each(Object.entries(clients))('in %s', (_name, client) => {
  const ask = (model: Model, turns: readonly Turn[], stream = true): Promise<Heard> => client(model.url, { turns, stream });

  it.each([true, false])('a script is played step by step, streamed: %s', async (stream) => {
    await using model = await startModel();
    const start = task({ sh: 'echo "a ]] b"', say: 'First.' }, { write: { path: 'a.txt', text: 'x\n' } }, { say: 'All done.' });
    const first = await ask(model, [start], stream);
    expect(first).toMatchObject({ status: 200, say: 'First.', call: { command: 'echo "a ]] b"' } });
    expect(await ask(model, [start, { result: 'ok' }], stream)).toMatchObject({ call: { content: 'x\n' } });
    const last = await ask(model, [start, { result: 'ok' }, { result: 'ok' }], stream);
    expect(last).toMatchObject({ say: 'All done.', call: undefined });
    expect(last.tokens).toEqual({ in: model.requests()[2]!.answer!.usage!.in, out: model.requests()[2]!.answer!.usage!.out });
  });

  it('the usage that a step names is what the client is told', async () => {
    await using model = await startModel();
    const turns = [task({ say: 'Cheap.', usage: { in: 1200, out: 34 } })];
    expect((await ask(model, turns)).tokens).toEqual({ in: 1200, out: 34 });
    expect((await ask(model, turns, false)).tokens).toEqual({ in: 1200, out: 34 });
  });

  it.each([401, 403, 429, 500, 529])('%i comes in the words of the protocol, with the time to wait', async (status) => {
    await using model = await startModel();
    const heard = await ask(model, [task({ error: status, retryAfter: 60 })]);
    expect(heard).toMatchObject({ status, retryAfter: '60', error: expect.stringContaining(String(status)) });
  });

  it('a conversation that is too long fails for good; one that begins with another text goes on', async () => {
    await using model = await startModel();
    const script = steps({ overflow: true }, { say: 'Goes on.' });
    for (const _ of [1, 2]) expect((await ask(model, [{ user: script }])).error).toMatch(/too long|context|token count/);
    expect(await ask(model, [{ user: `Read the hand-off. ${script}` }])).toMatchObject({ status: 200, say: 'Goes on.' });
  });

  it('a question takes the form that the client declared', async () => {
    await using model = await startModel();
    const heard = await ask(model, [task({ ask: { question: 'Which?', options: ['This', 'That'] } })]);
    expect(heard.call).toMatchObject({ questions: [{ question: 'Which?', options: [{ label: 'This' }, { label: 'That' }] }] });
  });

  it('a request without tools is answered apart and takes no step', async () => {
    await using model = await startModel();
    const heard = await client(model.url, { turns: [task({ error: 500 })], stream: true, tools: false });
    expect(heard).toMatchObject({ status: 200, say: 'A title' });
    expect(model.requests()).toMatchObject([{ side: true, answer: { status: 200 } }]);
  });
});

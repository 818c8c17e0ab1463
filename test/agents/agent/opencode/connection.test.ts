import { realpath } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { connect } from '../../../../src/agents/agent/drivers/opencode/connection.ts';
import { fakeServer, farmEnd } from './support.ts';

const ID = 'ses_ours';
const info = (directory: string) => ({ id: ID, directory, time: { created: 10 }, tokens: {}, cost: 0 });
const task = { message: 'msg_100', part: 'prt_100' };

/** A server in which our conversation is there already. */
async function running(...[place, more]: Partial<Parameters<typeof farmEnd>>) {
  const server = await fakeServer();
  const farm = await farmEnd({ port: server.port, ...place }, more);
  server.gets['/session?roots=true'] = [info(await realpath(farm.folder))];
  Object.assign(server.gets, { [`/session/${ID}`]: info(farm.folder), [`/session/${ID}/children`]: [], [`/session/${ID}/message`]: [] });
  return { server, farm };
}

it('without a window it begins the conversation and gives it the task under the names chosen before the start', async () => {
  const { server, farm } = await running({ port: 0 });
  await using _server = server;
  await using alone = await farmEnd({ port: server.port, task }, { mode: 'headless' });
  await using _farm = farm;
  server.gets['/session?roots=true'] = [];
  const made = info(await realpath(alone.folder));
  server.posts['/session'] = () => ({ status: 200, body: made });
  server.posts[`/session/${ID}/prompt_async`] = () => ({ status: 204 });
  const connection = await connect(alone.link);
  const sent = await server.called(`/session/${ID}/prompt_async`);
  expect(sent.body).toEqual({ messageID: 'msg_100', parts: [{ id: 'prt_100', type: 'text', text: 'the task' }] });
  expect(await alone.hears('ready')).toEqual({ on: 'ready', session: ID });
  await connection.close();
});

it('a task that is in the conversation is not sent a second time', async () => {
  const { server, farm } = await running();
  await using _server = server;
  await using _farm = farm;
  await using again = await farmEnd({ port: server.port, session: ID, task }, { fresh: false });
  server.gets[`/session/${ID}/message`] = [{ info: { id: task.message, role: 'user' }, parts: [] }];
  const connection = await connect(again.link);
  await again.hears('ready');
  server.send('session.status', { sessionID: ID, status: { type: 'retry', message: 'rate limit', next: 5 } });
  await again.hears('retrying');
  expect(server.calls).toEqual([]);
  await connection.close();
});

it.each([
  ['permission', { do: 'allow' }, { reply: 'once' }],
  ['permission', { do: 'deny', reason: 'not that' }, { reply: 'reject', message: 'not that' }],
  ['tool', { do: 'deny', reason: 'held by bob' }, { reply: 'reject', message: 'held by bob' }],
  ['tool', { do: 'pass' }, { reply: 'once' }],
] as const)('%s that furrow answers with %o is answered in its words', async (on, decision, reply) => {
  const { server, farm } = await running();
  await using _server = server;
  await using _farm = farm;
  farm.answers[on] = decision;
  const connection = await connect(farm.link);
  await farm.hears('ready');
  const permission = on === 'tool' ? 'edit' : 'bash';
  server.send('permission.asked', { id: 'per_1', sessionID: ID, permission, patterns: [], metadata: { command: 'ls', filepath: 'a' } });
  expect((await server.called('/permission/per_1/reply')).body).toEqual(reply);
  await connection.close();
});

it('a question is answered with labels, one list for each', async () => {
  const { server, farm } = await running();
  await using _server = server;
  await using _farm = farm;
  farm.answers.question = { do: 'answer', answers: [['Postgres']] };
  const connection = await connect(farm.link);
  await farm.hears('ready');
  server.send('question.asked', { id: 'que_1', sessionID: ID, questions: [{ question: 'Which?', options: [{ label: 'Postgres' }] }] });
  expect((await server.called('/question/que_1/reply')).body).toEqual({ answers: [['Postgres']] });
  await connection.close();
});

it('a message is delivered when it is seen in the conversation, and not because it was taken', async () => {
  const { server, farm } = await running();
  await using _server = server;
  await using _farm = farm;
  const connection = await connect(farm.link);
  await farm.hears('ready');
  server.posts[`/session/${ID}/prompt_async`] = ({ parts }) => {
    const [part] = parts as [{ id: string; text: string }];
    server.send('message.updated', { sessionID: ID, info: { id: 'msg_9', role: 'user' } });
    server.send('message.part.updated', { sessionID: ID, part: { ...part, type: 'text', messageID: 'msg_9' } });
    return { status: 204 };
  };
  expect(await connection.deliver!('[furrow m7] hello')).toBe('delivered');
  expect(await farm.hears('prompt')).toEqual({ on: 'prompt', text: '[furrow m7] hello' });
  server.posts[`/session/${ID}/prompt_async`] = () => ({ status: 400, body: {} });
  expect(await connection.deliver!('[furrow m8] hello')).toBe('not-delivered');
  await connection.close();
});

it('what was asked and what ended while the connection was gone is told when it is back', async () => {
  const { server, farm } = await running();
  await using _server = server;
  await using _farm = farm;
  const connection = await connect(farm.link);
  await farm.hears('ready');
  server.gets['/permission'] = [{ id: 'per_2', sessionID: ID, permission: 'bash', metadata: { command: 'make' } }];
  server.gets[`/session/${ID}/message`] = [{ info: { id: 'msg_5', role: 'assistant', finish: 'stop' }, parts: [] }];
  server.drop();
  expect(await farm.hears('permission')).toMatchObject({ request: 'per_2', tool: { command: 'make' } });
  expect(farm.heard.map(({ on }) => on)).toEqual(['ready', 'turn-ended', 'permission']);
  await connection.close();
});

it('the end of a turn that furrow wants more of is followed by what it says', async () => {
  const { server, farm } = await running();
  await using _server = server;
  await using _farm = farm;
  farm.answers['turn-ended'] = { do: 'go-on', text: 'commit it' };
  server.gets[`/session/${ID}/message`] = [{ info: { id: 'msg_5', role: 'assistant', finish: 'stop' }, parts: [] }];
  const connection = await connect(farm.link);
  const sent = await server.called(`/session/${ID}/prompt_async`);
  expect(sent.body['parts']).toEqual([expect.objectContaining({ text: 'commit it' })]);
  await connection.close();
});

it('another program on its port is a failure that says so, and it is left alone', async () => {
  await using server = await fakeServer('of somebody else');
  await using farm = await farmEnd({ port: server.port });
  const connection = await connect(farm.link);
  expect(await farm.hears('turn-failed')).toMatchObject({ why: 'error', text: expect.stringContaining(String(server.port)) });
  await connection.close();
});

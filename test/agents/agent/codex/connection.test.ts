import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { begun, RECORD } from '../../../../src/agents/agent/drivers/codex/reported.ts';
import type { Decision } from '../../../../src/agents/agent/event.ts';
import { FakeLink, FakeServer, recorded, THREAD, userMessage } from './fake.ts';

const now = () => Math.floor(Date.now() / 1000);
const turn = (id: string, status: string, over: object = {}) => ({ id, status, items: [], startedAt: now(), completedAt: now(), ...over });

async function listening(): Promise<FakeServer> {
  const server = new FakeServer();
  await server.listen();
  return server;
}

const approval = {
  method: 'item/commandExecution/requestApproval',
  id: 0,
  params: {
    threadId: THREAD,
    turnId: 'turn-1',
    itemId: 'call-1',
    command: "/bin/bash -lc 'git commit -m x'",
    cwd: '/repo/w',
    reason: 'to commit',
  },
};

describe('a recorded session', () => {
  it('with an approval is heard in order, and the answer is the recorded one', async () => {
    await using server = await listening();
    const said = recorded('codex-appserver-approval', 'in').filter((message) => message['method'] !== undefined);
    const id = (said.find((message) => message['method'] === 'turn/started')!['params'] as { threadId: string }).threadId;
    server.threads[0]!['id'] = id;
    await using link = await FakeLink.open(server, { decide: (event) => (event.on === 'permission' ? { do: 'allow' } : { do: 'pass' }) });
    await server.called('thread/turns/list');
    server.tell(...said);
    await link.hears('turn-ended');
    expect(link.events.map((event) => event.on)).toEqual([
      'ready',
      'prompt',
      'tool',
      'permission',
      'tool-done',
      'usage',
      'usage',
      'turn-ended',
    ]);
    await server.until(() => server.answers.length > 0);
    expect(server.answers).toEqual(recorded('codex-appserver-approval', 'out').filter((message) => message['method'] === undefined));
    const command = 'echo esc > esc.txt && git add esc.txt && git commit -qm esc';
    expect(link.on('permission')[0]).toMatchObject({
      tool: { action: 'run', command, input: { command, reason: 'Need to write in .git' } },
    });
    expect(link.on('usage').at(-1)).toMatchObject({ usage: { input: 21645, output: 51, cacheRead: 0, context: 10922 / 258400 } });
    expect(link.on('turn-ended')).toEqual([{ on: 'turn-ended', last: 'Escalated command done.' }]);
  });

  it('with a steered message, an interrupt and a 401 is heard in order', async () => {
    await using server = await listening();
    const said = recorded('codex-appserver-steer-interrupt-error', 'in').filter((message) => message['method'] !== undefined);
    server.threads[0]!['id'] = (said[0]!['params'] as { threadId: string }).threadId;
    await using link = await FakeLink.open(server);
    await server.called('thread/turns/list');
    server.tell(...said);
    const failed = await link.hears('turn-failed');
    const seen = link.events
      .filter((event) => event.on !== 'usage')
      .map((event) => ('text' in event ? `${event.on} ${event.text}` : event.on));
    const problem = 'unexpected status 401 Unauthorized: invalid x-api-key, url: http://127.0.0.1:8765/v1/responses';
    expect(seen).toEqual([
      ...['ready', 'prompt work [[sh: sleep 5]]', 'tool', 'tool-done', 'prompt steered [[plan:text]]', 'turn-ended'],
      ...['prompt work [[sh: sleep 40]]', 'tool', 'interrupted', 'prompt x [[plan:unauthorized]]'],
      ...[`retrying ${problem}`, `retrying ${problem}`, `turn-failed ${problem}`],
    ]);
    expect(failed).toMatchObject({ why: 'auth' });
  });
});

describe('a message', () => {
  it('is delivered when it is in the conversation, not when it is accepted', async () => {
    await using server = await listening();
    await using link = await FakeLink.open(server);
    let receipt: string | undefined;
    const sent = link.connection.deliver!('[furrow m1] hello').then((told) => {
      receipt = told;
    });
    const { params } = await server.called('turn/start');
    await link.connection.seen('anything');
    expect(receipt).toBeUndefined();
    server.event('item/started', { turnId: 'turn-9', item: userMessage('u1', '[furrow m1] hello', params['clientUserMessageId']) });
    await sent;
    expect(receipt).toBe('delivered');
    expect(server.calls.filter((call) => call.method === 'turn/start')).toHaveLength(1);
  });

  it('that joined a turn which was broken off is not delivered', async () => {
    await using server = await listening();
    await using link = await FakeLink.open(server);
    const sent = link.connection.deliver!('[furrow m1] hello');
    await server.called('turn/start');
    await link.connection.seen('anything');
    server.event('turn/completed', { turn: turn('turn-9', 'interrupted') });
    expect(await sent).toBe('not-delivered');
  });

  it('that is refused is not delivered, and one without an answer is unknown', async () => {
    await using server = await listening();
    await using link = await FakeLink.open(server);
    server.says.set('turn/start', () => ({ error: { code: -32600, message: 'no' } }));
    expect(await link.connection.deliver!('a')).toBe('not-delivered');
    server.says.set('turn/start', () => undefined);
    const sent = link.connection.deliver!('b');
    await server.called('turn/start', 2);
    server.drop();
    expect(await sent).toBe('unknown');
  });

  it('is looked for in the conversation, and while a turn runs its absence proves nothing', async () => {
    await using server = await listening();
    server.turns = [turn('turn-1', 'completed', { items: [userMessage('u1', 'read [furrow m1] this')] })];
    await using link = await FakeLink.open(server);
    await link.hears('turn-ended');
    expect([await link.connection.seen('[furrow m1]'), await link.connection.seen('[furrow m2]')]).toEqual([true, false]);
    server.event('turn/started', { turn: turn('turn-2', 'inProgress') });
    server.event('item/started', { item: userMessage('u2', 'go') });
    await link.hears('prompt', 2);
    expect([await link.connection.seen('[furrow m1]'), await link.connection.seen('[furrow m2]')]).toEqual([true, undefined]);
  });
});

describe('a connection', () => {
  it('that is lost is made again, and a decision made meanwhile answers the request that is given again', async () => {
    await using server = await listening();
    server.open = [approval];
    const decided = Promise.withResolvers<Decision>();
    await using link = await FakeLink.open(server, { decide: (event) => (event.on === 'permission' ? decided.promise : { do: 'pass' }) });
    await link.hears('permission');
    server.says.set('thread/loaded/list', () => undefined);
    server.drop();
    await server.called('thread/loaded/list', 2);
    decided.resolve({ do: 'deny', reason: 'not now' });
    server.says.delete('thread/loaded/list');
    server.open = [{ ...approval, id: 7 }];
    await server.restart();
    await server.until(() => server.answers.some((answer) => answer['id'] === 7));
    expect(server.answers.at(-1)).toEqual({ id: 7, result: { decision: 'decline' } });
    expect(link.on('permission')).toHaveLength(1);
  });

  it('leaves a request to the person at the window, and tells that it was answered there', async () => {
    await using server = await listening();
    server.open = [approval];
    await using link = await FakeLink.open(server);
    await link.hears('permission');
    server.event('serverRequest/resolved', { requestId: 0 });
    expect(await link.hears('answered')).toEqual({ on: 'answered', request: 'call-1' });
    expect(server.answers).toEqual([]);
  });

  it('that comes back after the turn ended tells so once, with what was said meanwhile', async () => {
    await using server = await listening();
    server.turns = [turn('turn-1', 'inProgress', { items: [userMessage('u1', 'do it')] })];
    {
      await using link = await FakeLink.open(server);
      await link.hears('prompt');
    }
    const said = { type: 'agentMessage', id: 'a1', text: 'Done.' };
    server.turns = [turn('turn-1', 'completed', { items: [userMessage('u1', 'do it'), userMessage('u2', 'and that'), said] })];
    {
      await using link = await FakeLink.open(server);
      expect(await link.hears('turn-ended')).toEqual({ on: 'turn-ended', last: 'Done.' });
      expect(link.on('prompt')).toEqual([{ on: 'prompt', text: 'and that' }]);
    }
    await using link = await FakeLink.open(server);
    await server.called('thread/turns/list', 3);
    server.event('turn/started', { turn: turn('turn-2', 'inProgress') });
    server.event('item/started', { item: userMessage('u3', 'more') });
    await link.hears('prompt');
    expect(link.events.map((event) => event.on)).toEqual(['ready', 'prompt']);
  });

  it('follows the conversation that begins later, and never the hidden one that makes titles', async () => {
    await using server = await listening();
    server.threads = [{ id: 'z-title', ephemeral: true }];
    await using link = await FakeLink.open(server);
    await server.called('thread/read');
    server.threads.push({ id: THREAD, ephemeral: false });
    server.tell({ method: 'thread/started', params: { thread: { id: THREAD, ephemeral: false, parentThreadId: null } } });
    expect(await link.hears('ready')).toEqual({ on: 'ready', session: THREAD });
    server.tell({ method: 'turn/completed', params: { threadId: 'z-title', turn: turn('t', 'completed') } });
    server.event('turn/completed', { turn: turn('turn-1', 'interrupted') });
    await link.hears('interrupted');
    expect(link.on('turn-ended')).toEqual([]);
  });

  it.each([
    ['whose message is not listed yet', [turn('turn-1', 'inProgress')], 'active'],
    ['that is not listed yet', [], 'active'],
  ])('that is joined in a turn %s is told to be at work', async (_, turns, type) => {
    await using server = await listening();
    server.turns = turns;
    server.threads = [{ ...server.threads[0], status: { type } }];
    await using link = await FakeLink.open(server);
    await link.hears('prompt');
    expect(link.events.map((event) => event.on)).toEqual(['ready', 'prompt']);
  });

  it('that is joined between two turns is not told to be at work', async () => {
    await using server = await listening();
    server.threads = [{ ...server.threads[0], status: { type: 'idle' } }];
    await using link = await FakeLink.open(server);
    await link.hears('ready');
    server.event('turn/completed', { turn: turn('turn-1', 'completed') });
    await link.hears('turn-ended');
    expect(link.on('prompt')).toEqual([]);
  });

  it('takes a turn that died with an earlier server for nobody’s doing', async () => {
    await using server = await listening();
    server.turns = [turn('turn-1', 'interrupted', { completedAt: null, items: [userMessage('u1', 'do it')] })];
    await using link = await FakeLink.open(server);
    await link.hears('prompt');
    server.event('turn/completed', { turn: turn('turn-2', 'completed') });
    await link.hears('turn-ended');
    expect(link.on('interrupted')).toEqual([]);
  });
});

it('goes on with the text it is told at the end of a turn', async () => {
  await using server = await listening();
  await using link = await FakeLink.open(server, {
    decide: (event) => (event.on === 'turn-ended' ? { do: 'go-on', text: 'commit it' } : { do: 'pass' }),
  });
  await link.hears('ready');
  await server.called('thread/turns/list');
  server.event('turn/completed', { turn: turn('turn-1', 'completed') });
  expect((await server.called('turn/start')).params).toMatchObject({ threadId: THREAD, input: [{ type: 'text', text: 'commit it' }] });
});

it('started again within a second of its last turn, sends what it is told now: that turn was of the launch before', async () => {
  await using server = await listening();
  const settings = { driver: 'codex', args: [], mode: 'headless', config_home: 'user', permission: 'act' } as const;
  const launched = Date.now();
  writeFileSync(join(server.folder, RECORD), begun(launched));
  const before = turn(v7(launched - 1), 'interrupted', { completedAt: null, startedAt: Math.floor(launched / 1000) });
  {
    await using _link = await FakeLink.open(server, { settings });
    const { params } = await server.called('turn/start');
    server.turns = [{ ...before, items: [userMessage('u1', 'do it', params['clientUserMessageId'])] }];
  }
  writeFileSync(join(server.folder, RECORD), begun(launched + 1));
  await using link = await FakeLink.open(server, { settings });
  await server.called('turn/start', 2);
  await link.hears('ready');
  expect(link.on('prompt')).toEqual([]);
});

const v7 = (ms: number) => `${ms.toString(16).padStart(12, '0').replace(/^.{8}/, '$&-')}-7291-89b8-8a1101a37076`;

it('without a window begins the conversation and sends the task, once, however often the daemon comes back', async () => {
  await using server = await listening();
  server.threads = [];
  const settings = { driver: 'codex', args: ['-s', 'read-only'], mode: 'headless', config_home: 'user', permission: 'act' } as const;
  {
    await using _link = await FakeLink.open(server, { settings });
    expect((await server.called('thread/start')).params).toEqual({ cwd: '/repo/w', approvalPolicy: 'on-request', sandbox: 'read-only' });
    const { params } = await server.called('turn/start');
    expect(params['input']).toMatchObject([{ text: 'do it' }]);
    server.turns = [turn('turn-1', 'inProgress', { items: [userMessage('u1', 'do it', params['clientUserMessageId'])] })];
  }
  await using link = await FakeLink.open(server, { settings });
  await link.hears('prompt');
  server.event('turn/completed', { turn: turn('turn-1', 'completed') });
  await link.hears('turn-ended');
  expect(server.calls.filter((call) => call.method === 'turn/start' || call.method === 'thread/start')).toHaveLength(2);
});

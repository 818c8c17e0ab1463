import { expect, it } from 'vitest';
import { MCP, serveHooks } from '../../../src/api/hooks.ts';
import type { Handlers } from '../../../src/api/server.ts';
import { answerTools } from '../../../src/daemon/calls/mcp.ts';
import type { Farm } from '../../../src/daemon/farm/farm.ts';
import { FurrowError } from '../../../src/platform/error.ts';
import { storeWith } from './user.ts';

const speaker = { agent: 'calm-otter', task: '3', phase: 'default', attempt: 2 };
const LIVE = { kind: 'agent', attempt: 7, agent: 'calm-otter', orchestrator: false, ended: false, speaker } as const;

/** The door for one agent, with the tools furrow has; only what stands behind them is the test's. */
async function door(handlers: Partial<Handlers> = {}) {
  const bugs: unknown[] = [];
  const store = await storeWith(LIVE.agent);
  const config = { spawn: { kinds: [], most: 0 } };
  const farm = { version: '1.2.3', db: store.db, repo: { root: '/repo' }, config } as unknown as Farm;
  const tools = answerTools({ farm, handlers: () => handlers as Handlers });
  const server = await serveHooks(
    'secret',
    0,
    async (_attempt, name, payload) =>
      name === MCP ? tools(payload, { caller: LIVE, signal: AbortSignal.any([]), item() {} }) : undefined,
    (bug) => bugs.push(bug),
  );
  const send = async (body: string, token = server.tokenOf(LIVE.attempt), more: RequestInit = {}) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const answer = await fetch(server.mcpOf(LIVE.attempt), { method: 'POST', headers, body, ...more });
    const text = await answer.text();
    return { status: answer.status, text, json: text === '' ? undefined : JSON.parse(text) };
  };
  const ask = async (method: string, params?: unknown) => (await send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))).json;
  const call = (name: string, args?: unknown) => ask('tools/call', { name, arguments: args });
  const dispose = async () => {
    await server.close();
    await store[Symbol.asyncDispose]();
  };
  return { bugs, send, ask, call, tokenOf: server.tokenOf, [Symbol.asyncDispose]: dispose };
}

it('says what it is, in the version the client speaks, or in its own newest', async () => {
  await using at = await door();
  const about = { capabilities: { tools: {} }, serverInfo: { name: 'furrow', version: '1.2.3' }, instructions: expect.any(String) };
  const versions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '1999-01-01', undefined];
  const answers = await Promise.all(versions.map((protocolVersion) => at.ask('initialize', { protocolVersion })));
  expect(answers).toEqual(
    ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2025-11-25', '2025-11-25'].map((protocolVersion) => ({
      jsonrpc: '2.0',
      id: 1,
      result: { protocolVersion, ...about },
    })),
  );
  expect(await at.ask('ping')).toMatchObject({ result: {} });
});

it('lists its tools with all that a call needs', async () => {
  await using at = await door();
  const { tools } = (await at.ask('tools/list')).result;
  for (const one of tools) expect(one).toMatchObject({ name: expect.stringMatching(/^[a-z_]+$/), inputSchema: { type: 'object' } });
  const listed = tools.find(({ name }: { name: string }) => name === 'notify_peer');
  expect(listed.inputSchema).toEqual({
    type: 'object',
    properties: {
      to: { type: 'string', description: expect.any(String) },
      text: { type: 'string' },
    },
    required: ['to', 'text'],
  });
});

it('knows who speaks by the attempt whose token it is, whatever the agent says of itself', async () => {
  const heard: unknown[] = [];
  await using at = await door({
    done: async (args, { caller }) => {
      heard.push(args, caller);
      return { task: '3' };
    },
  });
  const { result } = await at.call('whoami');
  expect(result).toMatchObject({ isError: false });
  expect(JSON.parse(result.content[0].text)).toEqual({
    agent: 'calm-otter',
    task: '3',
    phase: 'default',
    attempt: 2,
    role: 'agent',
    worktree: '/somewhere',
    repo: '/repo',
  });
  expect(await at.call('task_done', { summary: 'all of it', speaker: { agent: 'bold-fox' } })).toMatchObject({
    result: { isError: true, structuredContent: { code: 'USAGE' } },
  });
  expect(await at.call('task_done', { summary: 'all of it' })).toMatchObject({ result: { isError: false } });
  expect(heard).toEqual([{ summary: 'all of it' }, LIVE]);
});

it('says what was wrong with a call in words the model reads, and refuses what it does not know by number', async () => {
  await using at = await door({
    blocked: async () => {
      throw new FurrowError('STALE', 'that attempt is over', { hint: 'stop here' });
    },
  });
  const said = (error: object) => ({ result: { content: [{ type: 'text' }], structuredContent: error, isError: true } });
  expect(await at.call('task_done', {})).toMatchObject(said({ code: 'USAGE', message: 'task_done: summary is missing' }));
  expect(await at.call('task_done', { summary: [] })).toMatchObject(said({ code: 'USAGE', message: expect.stringContaining('summary: ') }));
  const stale = { code: 'STALE', message: 'that attempt is over', next: 'stop here' };
  const answer = await at.call('task_blocked', { reason: 'x' });
  expect(answer).toMatchObject(said(stale));
  // The same for clients of a version that knows texts only.
  expect(JSON.parse(answer.result.content[0].text)).toEqual(stale);
  expect(await at.call('rm')).toMatchObject({ error: { code: -32602, message: expect.stringContaining('rm') } });
  expect(await at.ask('server/discover')).toMatchObject({ error: { code: -32601 } });
  expect(at.bugs).toEqual([]);
});

it('is told by name of an argument that there is none, before anything happens, and takes a number for a text', async () => {
  const heard: unknown[] = [];
  const show = async (args: unknown) => void heard.push(args) as never;
  await using at = await door({ jobShow: show, ask: show, askMany: show });
  const refused = async (name: string, args: unknown) => (await at.call(name, args)).result.structuredContent.message;
  expect(await refused('reserve', { globs: ['a'] })).toBe(
    'reserve: there is no argument globs; there are paths, shared, minutes, reason, wait',
  );
  expect(await refused('job_show', { id: '1', ids: ['2'] })).toBe('job_show: there is no argument ids; did you mean id?');
  expect(await refused('ask', { to: 'ada', question: 'x', dependencies: [] })).toBe(
    'ask: there is no argument dependencies; there are to, question, deadline',
  );
  expect(await refused('inbox', { all: true })).toBe('inbox: there is no argument all: inbox takes none');
  expect(heard).toEqual([]);
  await at.call('job_show', { id: 7 });
  expect(heard).toEqual([{ id: '7' }]);
});

it('still understands the earlier names of tools, which it does not list', async () => {
  const heard: unknown[] = [];
  const sent = async (args: unknown) => {
    heard.push(args);
    return { to: [], ids: [], thread: null, waits: null, released: [] } as never;
  };
  await using at = await door({ askMany: sent, broadcast: sent, release: sent });
  await at.call('ask_many', { to: ['ada', 'bob'], question: 'x' });
  await at.call('broadcast', { to: '@all', text: 'y' });
  await at.call('release_resource', { id: 9 });
  expect(heard).toEqual([{ to: ['ada', 'bob'], text: 'x' }, { to: '@all', text: 'y' }, { id: '9' }]);
  const names = (await at.ask('tools/list')).result.tools.map(({ name }: { name: string }) => name);
  expect(names).toEqual(expect.not.arrayContaining(['ask_many', 'broadcast', 'release_resource']));
});

it('answers no answer, refuses a version that it does not speak, and says why a message is too large', async () => {
  await using at = await door();
  expect(await at.send(JSON.stringify({ jsonrpc: '2.0', id: 3, result: {} }))).toMatchObject({ status: 202, text: '' });
  expect((await at.send(JSON.stringify({ jsonrpc: '2.0', id: 3 }))).json).toMatchObject({ error: { code: -32600 } });
  const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
  const speaking = (version: string) =>
    at.send(ping, undefined, { headers: { authorization: `Bearer ${at.tokenOf(LIVE.attempt)}`, 'mcp-protocol-version': version } });
  expect((await speaking('2025-06-18')).status).toBe(200);
  expect(await speaking('1999-01-01')).toMatchObject({ status: 400, json: { error: { message: expect.stringContaining('2025-11-25') } } });
  expect(await at.send(`"${'x'.repeat(1024 * 1024)}"`)).toMatchObject({
    status: 413,
    json: { error: { message: 'the message is too large' } },
  });
});

it('takes a notification without a word, and answers all of a batch but those', async () => {
  await using at = await door();
  const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };
  expect(await at.send(JSON.stringify(initialized))).toMatchObject({ status: 202, text: '' });
  const ping = { jsonrpc: '2.0', id: 'a', method: 'ping' };
  expect((await at.send(JSON.stringify([ping, initialized, { ...ping, id: 'b' }]))).json).toEqual([
    { jsonrpc: '2.0', id: 'a', result: {} },
    { jsonrpc: '2.0', id: 'b', result: {} },
  ]);
  expect(await at.send(JSON.stringify([initialized]))).toMatchObject({ status: 202, text: '' });
});

it('refuses a stranger, what is no JSON and what is no request, and pushes nothing', async () => {
  await using at = await door();
  const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
  expect([
    (await at.send(ping, 'wrong')).status,
    (await at.send(ping, at.tokenOf(LIVE.attempt + 1))).status,
    (await at.send('{"jsonrpc":')).status,
    (await at.send('', undefined, { method: 'GET', body: null })).status,
  ]).toEqual([403, 403, 400, 405]);
  const none = { id: null, error: { code: -32600 } };
  for (const body of ['null', '7', '"ping"', '[]']) expect((await at.send(body)).json, body).toMatchObject(none);
  expect((await at.send('[null, []]')).json).toMatchObject([none, none]);
  expect(at.bugs).toEqual([]);
});

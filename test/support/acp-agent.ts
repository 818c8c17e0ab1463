import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

/**
 * An agent without a model that speaks the Agent Client Protocol: it does what the block `acp` of its prompt says, a deed a line, and
 * keeps its conversations. One file, since a fence shows no other.
 */
// biome-ignore lint/suspicious/noExplicitAny: what furrow sends is looked at by no more than this agent needs.
type Any = any;
type Deed = Record<string, Any>;
interface Kept {
  deeds: Deed[];
  done: number;
  told: string[];
  used: number;
}

const HOME = join(homedir(), 'acp-agent');
const fileOf = (id: string) => join(HOME, `${id}.json`);
const sessions = new Map<string, Kept>();
const waiting = new Map<number, (answer: Any) => void>();
let last = 0;
let servers: Any[] = [];
let turn: AbortController | undefined;

const send = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const update = (sessionId: string, what: object) => send({ method: 'session/update', params: { sessionId, update: what } });
const say = (id: string, text: string) => update(id, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
const call = (method: string, params: object) =>
  new Promise<Any>((resolve) => {
    waiting.set(++last, resolve);
    send({ id: last, method, params });
  });
const keep = (id: string) => {
  mkdirSync(HOME, { recursive: true });
  writeFileSync(fileOf(id), JSON.stringify(sessions.get(id)));
};

class Wrong extends Error {
  code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

const METHODS: Record<string, (params: Any) => Any> = {
  initialize: () => ({
    protocolVersion: Number(process.env['ACP_AGENT_VERSION'] ?? 1),
    agentCapabilities: { loadSession: process.env['ACP_AGENT_FORGETS'] !== '1', mcpCapabilities: { http: true } },
    agentInfo: { name: 'acp-agent', title: 'ACP agent of the tests', version: '1' },
    authMethods: [],
  }),
  'session/new': ({ mcpServers }) => {
    servers = mcpServers;
    const id = randomUUID();
    sessions.set(id, { deeds: [], done: 0, told: [], used: 0 });
    return { sessionId: id };
  },
  'session/load': ({ sessionId, mcpServers }) => {
    servers = mcpServers;
    if (!existsSync(fileOf(sessionId))) throw new Wrong(-32002, 'no such session');
    const kept = JSON.parse(readFileSync(fileOf(sessionId), 'utf8')) as Kept;
    sessions.set(sessionId, kept);
    for (const text of kept.told) update(sessionId, { sessionUpdate: 'user_message_chunk', content: { type: 'text', text } });
    say(sessionId, 'said before');
    return {};
  },
  'session/prompt': ({ sessionId, prompt }) => work(sessionId, prompt.map((one: Any) => one.text).join('\n\n')),
};

async function work(id: string, prompt: string): Promise<object> {
  const kept = sessions.get(id)!;
  kept.told.push(prompt);
  const [, block] = /```acp\n([\s\S]*?)```/.exec(prompt) ?? [];
  for (const line of (block ?? '').split('\n').filter(Boolean)) kept.deeds.push(JSON.parse(line));
  keep(id);
  turn = new AbortController();
  const { signal } = turn;
  const before = kept.used;
  while (kept.done < kept.deeds.length) {
    const deed = kept.deeds[kept.done]!;
    const ends = await perform(id, kept, deed, signal);
    if (signal.aborted) return { stopReason: 'cancelled' };
    kept.done++;
    kept.used += 100;
    keep(id);
    if (ends) break;
  }
  update(id, { sessionUpdate: 'usage_update', used: 1000, size: 10_000, cost: { amount: kept.used / 1000, currency: 'USD' } });
  const spent = kept.used - before;
  return { stopReason: 'end_turn', usage: { inputTokens: spent, outputTokens: spent / 10, totalTokens: spent * 1.1 } };
}

/** True for a deed that ends the turn. */
async function perform(id: string, kept: Kept, deed: Deed, signal: AbortSignal): Promise<boolean> {
  const once = () => {
    kept.done++;
    keep(id);
  };
  if ('commit' in deed)
    await tool(id, `echo ${deed['commit']} > ${deed['commit']}.txt && git add ${deed['commit']}.txt && git commit -q -m ${deed['commit']}`);
  else if ('run' in deed) await tool(id, deed['run']);
  else if ('write' in deed) await edit(id, deed['write'].path, deed['write'].text, deed['unasked'] === true);
  else if ('say' in deed) say(id, deed['say']);
  else if ('ask' in deed) await ask(id, deed['ask']);
  else if ('hold' in deed) await hold(deed['hold'], deed['gates'], signal);
  else if ('mcp' in deed) await mcp(id, kept, deed['mcp']);
  else if ('plan' in deed) update(id, { sessionUpdate: 'plan', entries: deed['plan'] });
  else if ('raw' in deed) process.stdout.write(deed['raw']);
  else if ('send' in deed) send(JSON.parse(JSON.stringify(deed['send']).replaceAll('SESSION', id)));
  else if ('flood' in deed) await flood(id, deed['flood']);
  else if ('endless' in deed) await endless(deed['endless']);
  else if ('requests' in deed) await requests(id, deed['requests']);
  else if ('deaf' in deed) {
    once();
    update(id, { sessionUpdate: 'usage_update', used: 1, size: 10 });
    await new Promise(() => {});
  } else if ('stop' in deed) {
    once();
    throw Object.assign(new Wrong(0, ''), { reason: deed['stop'] });
  } else if ('crash' in deed) {
    once();
    process.exit(deed['crash']);
  } else if ('auth' in deed) {
    once();
    throw new Wrong(-32000, 'Authentication required');
  } else if ('overflow' in deed) overflow(id);
  else if ('error' in deed) {
    // What goes away while it tries again by itself nobody hears of.
    deed['times'] = Math.min(deed['times'], 1);
    if (--deed['times'] >= 0) {
      keep(id);
      throw new Wrong(
        -32603,
        deed['error'] === 429 ? `429: rate limit, try again in ${deed['retryAfter']}s` : `${deed['error']}: overloaded`,
      );
    }
  }
  return 'say' in deed;
}

/** Full for good: only another conversation goes past this. */
function overflow(id: string): void {
  const file = join(HOME, 'overflow');
  if (!existsSync(file)) writeFileSync(file, id);
  if (readFileSync(file, 'utf8') === id) throw new Wrong(-32603, 'the context window is exceeded');
}

async function allowed(id: string, toolCall: object): Promise<boolean> {
  const options = [
    { optionId: 'always', name: 'Always', kind: 'allow_always' },
    { optionId: 'once', name: 'Yes', kind: 'allow_once' },
    { optionId: 'no', name: 'No', kind: 'reject_once' },
  ];
  const { outcome } = await call('session/request_permission', { sessionId: id, toolCall, options });
  return outcome?.optionId === 'once';
}

async function tool(id: string, command: string): Promise<void> {
  const toolCallId = randomUUID();
  const about = { toolCallId, title: command, kind: 'execute', rawInput: { command } };
  update(id, { sessionUpdate: 'tool_call', status: 'pending', ...about });
  if (!(await allowed(id, about))) return void update(id, { sessionUpdate: 'tool_call_update', toolCallId, status: 'failed' });
  const done = spawnSync('sh', ['-c', command], { encoding: 'utf8' });
  const content = [{ type: 'content', content: { type: 'text', text: `${done.stdout}${done.stderr}` } }];
  update(id, { sessionUpdate: 'tool_call_update', toolCallId, status: done.status === 0 ? 'completed' : 'failed', content });
}

async function edit(id: string, path: string, text: string, unasked: boolean): Promise<void> {
  const toolCallId = randomUUID();
  const file = join(process.cwd(), path);
  const oldText = existsSync(file) ? readFileSync(file, 'utf8') : null;
  const about = { toolCallId, title: `Write ${path}`, kind: 'edit', content: [{ type: 'diff', path: file, oldText, newText: text }] };
  update(id, { sessionUpdate: 'tool_call', status: 'pending', ...about });
  const may = unasked || (await allowed(id, about));
  if (may) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  update(id, { sessionUpdate: 'tool_call_update', toolCallId, status: may ? 'completed' : 'failed' });
}

async function ask(id: string, { question, options }: { question: string; options: string[] }): Promise<void> {
  const requestedSchema = { type: 'object', properties: { answer: { type: 'string', enum: options } }, required: ['answer'] };
  const given = await call('elicitation/create', { sessionId: id, mode: 'form', message: question, requestedSchema });
  sessions.get(id)!.told.push(`answered: ${given.content?.answer}`);
}

async function hold(name: string, gates: string, signal: AbortSignal): Promise<void> {
  appendFileSync(join(gates, `${name}.seen`), `${process.pid}\n`);
  await new Promise<void>((resolve) => {
    const look = () => {
      if (!existsSync(join(gates, name)) && !signal.aborted) return;
      watcher.close();
      resolve();
    };
    const watcher = watch(gates, look);
    signal.addEventListener('abort', look);
    look();
  });
}

async function mcp(id: string, kept: Kept, { server, tool: name, args }: { server: string; tool: string; args: object }): Promise<void> {
  const toolCallId = randomUUID();
  const about = { toolCallId, title: `${name} (${server} MCP Server)`, name: `mcp__${server}__${name}`, kind: 'other', rawInput: args };
  if (!(await allowed(id, about))) return;
  const { url, headers } = servers.find((one) => one.name === server);
  const post = async (method: string, params: object) => {
    const sent = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const own = Object.fromEntries(headers.map((one: Any) => [one.name, one.value]));
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    return (await fetch(url, { method: 'POST', headers: { ...sent, ...own }, body })).text();
  };
  await post('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'acp-agent', version: '1' } });
  kept.told.push(await post('tools/call', { name, arguments: args }));
  keep(id);
  update(id, { sessionUpdate: 'tool_call_update', toolCallId, status: 'completed' });
}

/** So many lines of words and of ends of tools, as fast as the pipe takes them. */
async function flood(id: string, lines: number): Promise<void> {
  for (let n = 0; n < lines; n++) {
    say(id, `${n} ${'x'.repeat(200)}\n`);
    if (process.stdout.writableNeedDrain) await new Promise((go) => process.stdout.once('drain', go));
  }
}

/** So many megabytes without the end of a line. */
async function endless(megabytes: number): Promise<void> {
  for (let n = 0; n < megabytes; n++) {
    if (!process.stdout.write('x'.repeat(1 << 20))) await new Promise((go) => process.stdout.once('drain', go));
  }
  process.stdout.write('\n');
}

/** Asks leave so many times at once, and goes on when all that were refused are. */
async function requests(id: string, times: number): Promise<void> {
  let refused = 0;
  await new Promise<void>((enough) => {
    for (let n = 0; n < times; n++) {
      const toolCall = { toolCallId: `r${n}`, title: `echo ${n}`, kind: 'execute', rawInput: { command: `echo ${n}` } };
      void call('session/request_permission', { sessionId: id, toolCall, options: [] }).then(() => ++refused === times - 100 && enough());
    }
  });
  say(id, `refused ${refused}`);
}

createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params, result } = JSON.parse(line);
  if (method === undefined) return waiting.get(id)?.(result ?? {});
  if (method === 'session/cancel') return turn?.abort();
  try {
    if (!METHODS[method]) throw new Wrong(-32601, `no ${method}`);
    send({ id, result: await METHODS[method](params) });
  } catch (error) {
    const { code, message, reason } = error as Wrong & { reason?: string };
    if (reason !== undefined) send({ id, result: { stopReason: reason } });
    else send({ id, error: { code: code ?? -32603, message } });
  }
});
process.stdin.on('end', () => process.exit(0));

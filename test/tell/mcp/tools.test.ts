import { describe, expect, it } from 'vitest';
import type { Caller } from '../../../src/api/caller.ts';
import { calls } from '../../../src/api/contract.ts';
import type { CallContext, Handlers } from '../../../src/api/server.ts';
import { reports } from '../../../src/daemon/calls/agent-reports.ts';
import type { Desk } from '../../../src/daemon/calls/context.ts';
import { answerTools } from '../../../src/daemon/calls/mcp.ts';
import { messages } from '../../../src/daemon/calls/messages.ts';
import { obeyRights } from '../../../src/daemon/calls/obey-rights.ts';
import type { Farm } from '../../../src/daemon/farm/farm.ts';
import { bounded, cut, MOST_BYTES, rows } from '../../../src/tell/mcp/answer.ts';
import { TOOLS } from '../../../src/tell/mcp/tools.ts';
import { argumentsFor } from './arguments.ts';
import { storeWith } from './user.ts';

const agent = (more: { orchestrator?: boolean; ended?: boolean } = {}): Caller => ({
  kind: 'agent',
  attempt: 7,
  agent: 'calm-otter',
  orchestrator: false,
  ended: false,
  speaker: { agent: 'calm-otter', task: '3', phase: 'default', attempt: 2 },
  ...more,
});
const OUTSIDE: Caller = { kind: 'person', role: 'orchestrator' };

/** The tools of one caller, behind the real table of rights; words of agents are judged by the real handlers. */
async function toolsOf(caller: Caller, also: Partial<Handlers> = {}, spawns = 2) {
  const store = await storeWith('calm-otter');
  const clock = { now: () => 1, awake: () => 1 };
  const config = { spawn: { kinds: ['sh'], most: spawns } };
  const farm = {
    version: '1',
    db: store.db,
    repo: { root: '/repo' },
    config,
    clock,
    wake() {},
    post: { clock, alarm: {}, wake() {} },
  } as unknown as Farm;
  const stub = async () => ({ agents: [], tasks: [], problems: [] });
  const stubs = Object.fromEntries(Object.keys(calls).map((name) => [name, stub])) as unknown as Handlers;
  const desk = { farm } as Desk;
  const { ask } = messages(desk);
  const handlers = obeyRights(farm, { ...stubs, ask, ...reports(desk), ...also });
  const answer = answerTools({ farm, handlers: () => handlers });
  const context: CallContext = { caller, signal: AbortSignal.any([]), item() {} };
  const send = async (method: string, params?: unknown) =>
    // biome-ignore lint/suspicious/noExplicitAny: what a client is answered is checked by the test that reads it.
    (await answer({ jsonrpc: '2.0', id: 1, method, params }, context)) as any;
  return {
    names: async () => (await send('tools/list')).result.tools.map((one: { name: string }) => one.name) as string[],
    /** The list as a model reads it. */
    list: async () => {
      const { tools } = (await send('tools/list')).result as { tools: { annotations: unknown }[] };
      return tools.map(({ annotations: _, ...one }) => JSON.stringify(one));
    },
    call: (name: string, args: unknown = {}) => send('tools/call', { name, arguments: args }),
    events: () => store.db.selectFrom('event').select('kind').orderBy('seq').execute(),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

const ARGS = argumentsFor('calm-otter', '3');

it('every tool says what it is for, and names only calls that exist', () => {
  expect(TOOLS.map((one) => one.name).sort()).toEqual(Object.keys(ARGS).sort());
  for (const { name, description, calls: made } of TOOLS) {
    expect(description, name).toMatch(/^[A-Z].*\.$/);
    for (const one of made) expect(calls).toHaveProperty(one);
  }
});

describe('a tool that somebody may not use', () => {
  it('is not listed for them, and is refused when it is called all the same', async () => {
    await using plain = await toolsOf(agent());
    await using boss = await toolsOf(agent({ orchestrator: true }));
    await using outside = await toolsOf(OUTSIDE);
    expect(await plain.names()).not.toContain('task_create');
    expect(await boss.names()).toContain('task_create');
    expect(await outside.names()).toContain('task_create');
    for (const own of ['task_done', 'task_no_change', 'task_blocked', 'task_progress', 'ask_human', 'job_update']) {
      expect(await boss.names()).toContain(own);
      expect(await outside.names()).not.toContain(own);
      expect(await outside.call(own, ARGS[own])).toMatchObject({ error: { code: -32602 } });
    }
    expect(await plain.call('task_create', ARGS['task_create'])).toMatchObject({ error: { code: -32602 } });
  });

  it('starts no agents before furrow.yaml says which and how many', async () => {
    await using off = await toolsOf(OUTSIDE, {}, 0);
    await using on = await toolsOf(OUTSIDE);
    expect([(await off.names()).includes('spawn_peer'), (await on.names()).includes('spawn_peer')]).toEqual([false, true]);
    expect(await off.call('spawn_peer', ARGS['spawn_peer'])).toMatchObject({ error: { code: -32602 } });
  });
});

/** About four characters are a token. Each model reads the list at the start of each conversation. */
const tokens = (texts: readonly string[]) => Math.ceil(texts.join(',').length / 4);

it('the list of tools stays within 1,500 tokens for an agent, and 3,050 for an orchestrator', async () => {
  await using plain = await toolsOf(agent());
  await using boss = await toolsOf(agent({ orchestrator: true }));
  expect(tokens(await plain.list())).toBeLessThanOrEqual(1_500);
  expect(tokens(await boss.list())).toBeLessThanOrEqual(3_050);
});

it('every tool refuses an attempt that has ended, and late words are noted', async () => {
  await using late = await toolsOf(agent({ orchestrator: true, ended: true }));
  const names = await late.names();
  expect(names.length).toBeGreaterThan(10);
  for (const name of names) {
    const answer = await late.call(name, ARGS[name]);
    expect([name, answer.result]).toMatchObject([name, { isError: true, structuredContent: { code: 'STALE', next: 'stop here' } }]);
  }
  const spoke = ['task_done', 'task_no_change', 'task_blocked', 'task_progress', 'ask_human'];
  expect(await late.events()).toEqual(spoke.map(() => ({ kind: 'task.stale' })));
});

describe('an answer', () => {
  it('is at most 4 KB, and says what is left out and where it is', async () => {
    const tasks = Array.from({ length: 500 }, (_, n) => ({
      ...{ id: String(n), title: 'ü'.repeat(500), phase: 'default', status: 'todo', state: 'waiting' as const, priority: 'high' },
      ...{
        depends_on: [],
        agent: null,
        model: null,
        effort: null,
        attempt: 0,
        branch: null,
        commit: null,
        taken_by: null,
        reason: 'y'.repeat(900),
        missing: null,
      },
    }));
    await using at = await toolsOf(OUTSIDE, { list: async () => ({ tasks, quarantined: [], problems: [] }) });
    const { result } = await at.call('task_list');
    const [{ text }] = result.content;
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MOST_BYTES);
    expect(JSON.parse(text)).toEqual(result.structuredContent);
    const { tasks: shown, left_out: left } = result.structuredContent;
    expect(shown.length + left.count).toBe(500);
    expect(left.next).toContain('furrow list');
  });

  it('is cut between characters, and nothing that fits is cut', () => {
    expect(cut('short', 100, 'there')).toBe('short');
    const long = cut('ü'.repeat(100), 61, '/a/file');
    expect(long).toMatch(/^ü+… \(200 bytes in all: \/a\/file\)$/);
    expect(Buffer.byteLength(long)).toBeLessThanOrEqual(61);
    expect(bounded({ text: 'x', data: { big: 'y'.repeat(MOST_BYTES) } })).toEqual({ text: 'x' });
    expect(rows('a', [1, 2], 'more')).toEqual({ a: [1, 2] });
  });
});

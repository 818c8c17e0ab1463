import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AgentEvent, Decision } from '../../../../src/agents/agent/event.ts';
import { processesOf } from '../../../support/processes.ts';
import { start } from './place.ts';

const ons = (events: readonly AgentEvent[]) => events.map(({ on }) => on);
const update = (what: object) => ({ send: { method: 'session/update', params: { sessionId: 'SESSION', update: what } } });

describe('an agent that crashes', () => {
  it('ends the program with its exit code, and what it said last is in the window', async () => {
    await using agent = await start([{ run: 'echo begun' }, { crash: 7 }], { decide: allow });
    expect(await agent.ended).toBe(7);
    expect(ons(agent.events()).at(-1)).toBe('closed');
    expect(agent.events().at(-1)).toMatchObject({ reason: 'exit 7' });
    expect(agent.shown()).toContain('begun');
  });

  it('goes on with its conversation where it stopped, and says nothing of it twice', async () => {
    const first = await start([{ run: 'echo one >> ran' }, { crash: 7 }, { run: 'echo two >> ran' }], { decide: allow });
    expect(await first.ended).toBe(7);
    await using second = await start([], { decide: allow, after: first, prompt: 'Go on.' });
    await second.nth('turn-ended');
    expect(await readFile(join(first.request.worktree, 'ran'), 'utf8')).toBe('one\ntwo\n');
    expect(second.events().filter(({ on }) => on === 'permission')).toHaveLength(1);
    expect(second.shown()).not.toContain('said before');
    await first[Symbol.asyncDispose]();
  });

  it('that has lost its conversation ends at once, and nothing claims any more that it could be resumed', async () => {
    const first = await start([{ crash: 7 }]);
    await first.ended;
    const ready = first.events().find((event) => event.on === 'ready')!;
    expect(existsSync(ready.transcript!)).toBe(true);
    await using second = await start([], { after: first, env: { HOME: join(first.folder, 'elsewhere') }, prompt: 'Go on.' });
    expect(await second.ended).not.toBe(0);
    expect(ons(second.events())).toEqual(['closed']);
    expect(existsSync(ready.transcript!)).toBe(false);
    expect(second.shown()).toContain('cannot go on with the conversation');
    await first[Symbol.asyncDispose]();
  });

  it('whose program is killed with it leaves no process behind', async () => {
    await using agent = await start([{ deaf: true }]);
    await agent.nth('prompt');
    agent.kill();
    await agent.ended;
    await expect.poll(() => processesOf(agent.folder)).toEqual([]);
  });
});

describe('an agent that lies', () => {
  it.each([
    ['writes what is no message', { raw: 'Loading…\n{"half\n[1]\n42\n\n' }],
    ['answers what nobody asked', { send: { id: 4711, result: {} } }],
    [
      'tells of another conversation',
      {
        send: {
          method: 'session/update',
          params: { sessionId: 'x', update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'foreign' } } },
        },
      },
    ],
    ['tells of what nobody knows', update({ sessionUpdate: 'from_the_future', content: 7 })],
    ['tells of nothing', { send: { method: 'session/update', params: null } }],
    ['ends what it never began', update({ sessionUpdate: 'tool_call_update', toolCallId: 'never', status: 'completed' })],
    [
      'names things by other types',
      update({ sessionUpdate: 'tool_call', toolCallId: 7, title: ['x'], locations: 'here', content: 'much', kind: {} }),
    ],
    [
      'asks for files and terminals',
      { send: { id: 'a', method: 'fs/read_text_file', params: { sessionId: 'SESSION', path: '/etc/passwd' } } },
    ],
  ])('and %s is heard no further, and its turn goes on', async (_what, lie) => {
    await using agent = await start([lie, { say: 'It is done.' }]);
    expect(await agent.nth('turn-ended')).toMatchObject({ last: 'It is done.' });
  });

  it('about the kind of a tool is judged by what it gives to it', async () => {
    const asks = (toolCall: object) => ({
      send: { id: 'p', method: 'session/request_permission', params: { sessionId: 'SESSION', toolCall, options: [] } },
    });
    await using agent = await start([
      asks({ toolCallId: 'a', title: 'Look', kind: 'read', rawInput: { command: 'rm -rf /' } }),
      { deaf: true },
    ]);
    expect(await agent.nth('permission')).toMatchObject({ tool: { action: 'run', command: 'rm -rf /' } });
  });

  it('about the place of an edit asks leave like any other', async () => {
    const diff = { type: 'diff', path: '/etc/passwd', oldText: '', newText: 'x' };
    const toolCall = { toolCallId: 'a', title: 'Write', kind: 'edit', content: [diff] };
    const asks = { send: { id: 'p', method: 'session/request_permission', params: { sessionId: 'SESSION', toolCall, options: [] } } };
    await using agent = await start([asks, { deaf: true }]);
    expect(await agent.nth('permission')).toMatchObject({ tool: { action: 'edit', paths: ['/etc/passwd'] } });
    expect(ons(agent.events())).not.toContain('tool');
  });

  it('that its turn was stopped is no person who stopped it', async () => {
    await using agent = await start([{ stop: 'cancelled' }]);
    expect(await agent.nth('turn-failed')).toMatchObject({ why: 'error', text: expect.stringContaining('nobody did that') });
    expect(ons(agent.events())).not.toContain('interrupted');
  });

  it('that it speaks another version of the protocol is told so, and ended', async () => {
    await using agent = await start([], { env: { ACP_AGENT_VERSION: '9' } });
    expect(await agent.ended).not.toBe(0);
    expect(agent.shown()).toContain('version 9 of the Agent Client Protocol');
  });

  it('by changing a file without asking is told of, once', async () => {
    const write = (path: string) => ({ write: { path, text: 'x\n' }, unasked: true });
    await using agent = await start([write('a.txt'), write('b.txt'), { say: 'Done.' }]);
    await agent.nth('turn-ended');
    await expect.poll(() => agent.shown().match(/told: .*without asking/g)).toHaveLength(1);
  });
});

describe('an agent that floods', () => {
  it('with words is read to their end, and its turn ends as any other', async () => {
    await using agent = await start([{ flood: 50_000 }, { say: 'Done.' }]);
    expect(await agent.nth('turn-ended')).toMatchObject({ last: expect.stringContaining('Done.') });
    expect(agent.shown()).toContain('49999 x');
  });

  it('with a line that never ends is not kept', async () => {
    await using agent = await start([{ endless: 80 }, { say: 'Done.' }]);
    await agent.nth('turn-ended');
    expect(agent.shown()).toContain('a line without end');
  });

  it('with requests is refused more than a hundred at once', async () => {
    const never = (): Promise<Decision> => new Promise(() => {});
    await using agent = await start([{ requests: 200 }, { say: 'Done.' }], {
      decide: (event) => (event.on === 'permission' ? never() : { do: 'pass' }),
    });
    expect(await agent.nth('turn-ended')).toMatchObject({ last: 'refused 100Done.' });
    expect(agent.events().filter(({ on }) => on === 'permission')).toHaveLength(100);
  });
});

describe('an agent that hangs', () => {
  it('takes no message, and keeps it for the turn after: it is in the conversation once', async () => {
    await using agent = await start([{ deaf: true }]);
    await agent.nth('usage');
    expect(await agent.connection.deliver!('[furrow m1] hear me')).toBe('delivered');
    expect(await agent.connection.seen('[furrow m1]')).toBe(true);
    agent.kill();
    await agent.ended;
    await using next = await start([{ say: 'I hear.' }], { after: agent });
    await next.nth('turn-ended');
    const prompts = next.events().flatMap((event) => (event.on === 'prompt' ? [event.text] : []));
    expect(prompts.join('\n').split('[furrow m1] hear me')).toHaveLength(2);
  });

  it('ends when it is asked to, with all that it started', async () => {
    await using agent = await start([{ deaf: true }]);
    await agent.nth('prompt');
    await agent[Symbol.asyncDispose]();
    expect(processesOf(agent.folder)).toEqual([]);
  });

  it('and whose program does not run is not delivered to', async () => {
    await using agent = await start([{ crash: 1 }]);
    await agent.ended;
    expect(await agent.connection.deliver!('[furrow m2] too late')).toBe('not-delivered');
    expect(await agent.connection.seen('[furrow m2]')).toBe(false);
  });
});

function allow(event: AgentEvent): Decision {
  return event.on === 'permission' ? { do: 'allow' } : { do: 'pass' };
}

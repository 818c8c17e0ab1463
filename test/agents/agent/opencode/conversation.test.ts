import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { conversation } from '../../../../src/agents/agent/drivers/opencode/conversation.ts';
import type { Said } from '../../../../src/agents/agent/drivers/opencode/requests.ts';
import type { AgentEvent } from '../../../../src/agents/agent/event.ts';

type Recorded = { readonly type: string; readonly properties: Record<string, unknown> };

/** Eleven prompts to opencode 1.18.18, one after the other, as its server told of them. */
const recorded = readFileSync(new URL('data/turns.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Recorded);

const session = String(recorded[0]!.properties['sessionID']);
const created: Recorded = { type: 'session.created', properties: { sessionID: session, info: { id: session, tokens: {}, cost: 0 } } };

const open = () => {
  const talk = conversation((info) => info['id'] === session, '');
  talk.take(created);
  return talk;
};
const events = (said: readonly Said[]): readonly AgentEvent[] => said.map(({ event }) => event);
const play = (all: readonly Recorded[]) => {
  const talk = open();
  return events(all.flatMap((event) => talk.take(event)));
};
/** What the server told from one text of the user to the next. */
const turn = (words: string) => {
  const texts = recorded.flatMap((event, i) => (promptIn(event) === undefined ? [] : [i - 1]));
  const from = texts.find((i) => promptIn(recorded[i + 1]!)?.includes(words))!;
  return recorded.slice(from, texts.find((i) => i > from) ?? recorded.length);
};
function promptIn({ type, properties }: Recorded): string | undefined {
  const part = properties['part'] as { type?: string; text?: string } | undefined;
  return type === 'message.part.updated' && part?.type === 'text' && part.text?.includes('[[plan:') ? part.text : undefined;
}
const kinds = (words: string) => play(turn(words)).map(({ on }) => on);

describe('what opencode tells', () => {
  it('of a tool that is refused with a reason is one turn, ended by the agent', () => {
    const heard = play(turn('r [['));
    expect(heard.map(({ on }) => on)).toEqual(['prompt', 'usage', 'permission', 'answered', 'tool-done', 'usage', 'turn-ended', 'usage']);
    expect(heard).toContainEqual({ on: 'turn-ended', last: 'Done: stub.txt is written and committed.' });
    expect(heard.find(({ on }) => on === 'tool-done')).toMatchObject({ failed: true, tool: { action: 'run' } });
  });

  it('of a tool that a person refused without a word is a turn that they stopped', () => {
    expect(kinds('r2 [[')).not.toContain('turn-ended');
    expect(kinds('r2 [[')).toContain('interrupted');
  });

  it('of an abort is an interrupt, once, although it says twice that it is idle', () => {
    expect(play([...turn('l [['), ...turn('queued behind')]).filter(({ on }) => /interrupted|turn/.test(on))).toEqual([
      { on: 'interrupted' },
    ]);
  });

  it.each([
    ['ratelimit', 'limit'],
    ['unauthorized', 'auth'],
    ['overloaded', 'overloaded'],
    ['error', 'error'],
  ])('of %s is a retry that knows why and until when, and an abort of it is an interrupt', (plan, why) => {
    const heard = play(turn(`e [[plan:${plan}]]`));
    const retry = heard.find((event) => event.on === 'retrying');
    expect(retry).toMatchObject({ why, until: expect.any(Number) });
    expect(heard.at(-1)).toEqual({ on: 'interrupted' });
  });

  it('of a model that fails for good is a failed turn, once', () => {
    const ends = play(turn('q [[')).filter(({ on }) => /interrupted|turn/.test(on));
    expect(ends).toEqual([{ on: 'turn-failed', why: 'error', text: 'Internal server error (stub)' }]);
  });

  it('of a context that is full is no failure as long as it makes it shorter itself', () => {
    expect(kinds('e [[plan:ctx]]')).not.toContain('turn-failed');
  });

  it('is told once, however often it is sent', () => {
    const once = play(recorded);
    const times = fc.array(fc.integer({ min: 1, max: 3 }), { minLength: recorded.length, maxLength: recorded.length });
    fc.assert(
      fc.property(times, (n) => {
        const doubled = recorded.flatMap((event, i) =>
          event.type === 'session.status' ? [event] : (Array(n[i]).fill(event) as Recorded[]),
        );
        expect(play(doubled)).toEqual(once);
      }),
      { numRuns: 25 },
    );
  });
});

describe('conversations below ours', () => {
  const child = {
    id: 'ses_child',
    parentID: session,
    cost: 0.5,
    tokens: { input: 10, output: 2, reasoning: 1, cache: { read: 3, write: 4 } },
  };
  const about = (type: string, more: object): Recorded => ({ type, properties: { sessionID: child.id, ...more } });

  it('cost money and ask for leave, but end no turn', () => {
    const asked = { id: 'per_1', permission: 'bash', patterns: ['ls'], metadata: { command: 'ls' }, tool: { callID: 'c' } };
    const heard = play([
      about('session.created', { info: child }),
      about('permission.asked', asked),
      about('session.status', { status: { type: 'busy' } }),
      about('session.idle', {}),
    ]);
    expect(heard.map(({ on }) => on)).toEqual(['usage', 'permission']);
    expect(heard[0]).toMatchObject({ session, usage: { input: 10, output: 3, cacheRead: 3, cacheWrite: 4, usd: 0.5 } });
  });

  it('of others are nothing to us', () => {
    const other = { ...child, parentID: 'ses_other' };
    expect(play([about('session.created', { info: other }), about('permission.asked', { id: 'per_2', permission: 'bash' })])).toEqual([]);
  });
});

describe('after the daemon was away', () => {
  const text = (id: string, words: string) => ({ id, type: 'text', messageID: '', text: words });
  const user = { info: { id: 'msg_1', role: 'user' }, parts: [{ ...text('p1', '[furrow m1] do it'), messageID: 'msg_1' }] };
  const reply = { info: { id: 'msg_2', role: 'assistant', finish: 'stop' }, parts: [{ ...text('p2', 'done'), messageID: 'msg_2' }] };
  const none = { permissions: [], questions: [] };
  const comeBack = (ended: string, messages: readonly Record<string, unknown>[], status: Record<string, unknown>) => {
    const talk = conversation((info) => info['id'] === session, ended);
    talk.take(created);
    return events(talk.catchUp({ messages, status, ...none }, true));
  };

  it('a turn that ended meanwhile is told, and one that was told before is not', () => {
    expect(comeBack('', [user, reply], {})).toEqual([{ on: 'turn-ended', last: 'done' }]);
    expect(comeBack('msg_2', [user, reply], {})).toEqual([]);
  });

  it('a turn that still runs is work, and its request for leave is told again', () => {
    expect(comeBack('', [user], { type: 'busy' })).toEqual([{ on: 'prompt', text: '[furrow m1] do it' }]);
    const talk = conversation((info) => info['id'] === session, '');
    talk.take(created);
    const asked = { id: 'per_9', sessionID: session, permission: 'edit', metadata: { filepath: '/w/a.ts' } };
    const said = talk.catchUp({ messages: [], status: { type: 'busy' }, permissions: [asked], questions: [] }, true);
    expect(said).toEqual([
      {
        event: { on: 'tool', tool: expect.objectContaining({ action: 'edit', paths: ['/w/a.ts'] }) },
        answer: { kind: 'edit', request: 'per_9' },
      },
    ]);
  });
});

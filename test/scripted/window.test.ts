import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { LaunchRequest } from '../../src/agents/agent/driver.ts';
import { readLines } from '../../src/agents/agent/drivers/scripted/transcript.ts';
import { scripted } from '../../src/agents/agent/drivers/scripted.ts';
import { type AgentEvent, type Decision, PASS } from '../../src/agents/agent/event.ts';
import { type AgentOptions, startAgent } from '../agents/message/agents.ts';
import { hookServer } from '../agents/message/hook-server.ts';
import { eventually, farm } from '../platform/tmux/place.ts';

type On = AgentEvent['on'];

/** An agent in a window with a script, and the farm's answers to what it tells. */
async function at(script: string[], decide: (event: AgentEvent, count: number) => Decision = () => PASS, more: Partial<AgentOptions> = {}) {
  const place = await farm();
  const counts = new Map<On, number>();
  const hooks = await hookServer(({ event }) => {
    counts.set(event.on, (counts.get(event.on) ?? 0) + 1);
    return decide(event, counts.get(event.on)!);
  });
  let started = 1;
  const start = (options: Partial<AgentOptions> = {}) =>
    startAgent(place, `ada-${started++}`, 1, {
      hook: hooks.url,
      script,
      session: 's1',
      ...more,
      ...options,
      home: join(place.place.dir, 'home'),
    });
  const agent = await start();
  const events = () => hooks.heard.map(({ event }) => event);
  const nth = (on: On, n = 1) =>
    hooks.until((heard) => events().filter((event) => event.on === on)[n - 1] === heard.event).then(({ event }) => event);
  const shows = (state: string, pane = agent.pane) =>
    eventually(
      () => place.tmux.screen(pane),
      (text) => scripted.screen!(text).state === state,
    );
  const say = async (text: string) => {
    await place.tmux.paste(agent.pane, text);
    await place.tmux.key(agent.pane, 'Enter');
  };
  return {
    place,
    agent,
    start,
    events,
    nth,
    shows,
    say,
    ons: () => events().map(({ on }) => on),
    made: (path: string) => existsSync(join(agent.home, path)),
    lines: (session = 's1') => readLines(join(agent.home, 'conversations', `${session}.jsonl`)) ?? [],
    [Symbol.asyncDispose]: async () => {
      await place[Symbol.asyncDispose]();
      await hooks[Symbol.asyncDispose]();
    },
  };
}

it('tells of its turn from ready to end, obeys what it is told, and goes on when it must', async () => {
  await using it = await at(['write no.txt x', 'write yes.txt x', 'turn', 'write more.txt x'], (event, n) => {
    if (event.on === 'tool' && event.tool.paths[0] === 'no.txt') return { do: 'deny', reason: 'not yours' };
    if (event.on === 'tool-done' && n === 1) return { do: 'tell', text: '[furrow m1] from bob: hi' };
    return event.on === 'turn-ended' && n === 1 ? { do: 'go-on', text: '[furrow m2] from bob: go on' } : PASS;
  });
  await it.nth('turn-ended', 2);
  expect(it.ons()).toEqual(['ready', 'prompt', 'tool', 'tool', 'tool-done', 'turn-ended', 'tool', 'tool-done', 'turn-ended']);
  expect([it.made('no.txt'), it.made('yes.txt'), it.made('more.txt')]).toEqual([false, true, true]);
  expect([await it.agent.connection.seen('[furrow m1]'), await it.agent.connection.seen('[furrow m2]')]).toEqual([true, true]);
  expect(scripted.screen!(await it.shows('idle'))).toEqual({ state: 'idle', draft: '' });
});

it('runs what it was allowed to, not what it was denied, and a person in the window may answer first', async () => {
  await using it = await at(
    ['permission touch a', 'permission touch b', 'permission touch c', 'question Which? | this | that'],
    (event, n) => {
      if (event.on === 'permission') return n === 1 ? { do: 'allow' } : n === 2 ? { do: 'deny', reason: 'no' } : PASS;
      return event.on === 'question' ? { do: 'answer', answers: [['that']] } : PASS;
    },
  );
  await it.nth('permission', 3);
  expect(scripted.screen!(await it.shows('waiting'))).toMatchObject({ state: 'waiting', detail: 'permission' });
  await it.say('y');
  await it.nth('turn-ended');
  expect([it.made('a'), it.made('b'), it.made('c')]).toEqual([true, false, true]);
  expect(await it.nth('answered')).toEqual({ on: 'answered', request: 'p3' });
  expect(await it.shows('idle')).toContain('answered: that');
});

it('is stopped by Escape, says so, and takes the step up again when it is told to', async () => {
  await using it = await at(['hang', 'write after.txt x']);
  await it.nth('tool');
  await it.shows('working');
  await it.place.tmux.key(it.agent.pane, 'Escape');
  await it.nth('interrupted');
  await it.shows('idle');
  expect(it.ons()).not.toContain('turn-ended');
  await it.say('go on');
  expect((await it.nth('tool', 2)) as object).toMatchObject({ tool: { command: 'hang' } });
});

it('tells apart a limit, a lost login and a full context, and adds up what it used', async () => {
  await using it = await at(['usage 10 5 0.25', 'usage 1 1 0.25', 'limit 0.3', 'auth', 'context', 'write done.txt x']);
  const limited = await it.nth('turn-failed', 1);
  expect(limited).toMatchObject({ why: 'limit', until: expect.any(Number) });
  expect((await it.nth('usage', 2)) as object).toMatchObject({ session: 's1', usage: { input: 11, output: 6, usd: 0.5 } });
  await eventually(
    async () => Date.now(),
    (now) => now >= (limited.on === 'turn-failed' ? limited.until! : 0),
  );
  await it.say('go on');
  expect(await it.nth('turn-failed', 2)).toMatchObject({ why: 'auth' });
  await it.say('go on');
  expect(await it.nth('turn-failed', 3)).toMatchObject({ why: 'context' });
  await it.say('go on');
  expect(await it.nth('turn-failed', 4)).toMatchObject({ why: 'context' });
  // Another conversation of the same attempt begins anew, past what filled the first.
  await it.start({ session: 's2', script: ['context', 'write done.txt x'] });
  await it.nth('turn-ended');
  expect(it.made('done.txt')).toBe(true);
});

it('killed in the middle, it goes on in the same conversation from where it stopped', async () => {
  await using it = await at(['append log.txt once', 'usage 7 7', 'crash', 'write after.txt x']);
  await eventually(it.place.tmux.panes, ([pane]) => pane?.dead === true);
  const before = it.lines();
  await it.start();
  await eventually(
    async () => it.ons(),
    (ons) => ons.includes('turn-ended'),
  );
  expect(it.lines().slice(0, before.length)).toEqual(before);
  expect(it.ons().filter((on) => on === 'tool-done')).toHaveLength(2);
  expect(it.ons().filter((on) => on === 'prompt')).toHaveLength(1);
});

it('works on alone when the farm is away, and the farm learns of it later', async () => {
  await using it = await at(['write alone.txt x'], undefined, { hook: 'http://127.0.0.1:9' });
  await eventually(
    async () => it.lines(),
    (lines) => lines.at(-1)?.on === 'ended',
  );
  const told: AgentEvent[] = [];
  const heard = async (event: AgentEvent) => {
    told.push(event);
    return PASS;
  };
  const link = { request: it.agent.request, fresh: false, session: 's1', transcript: undefined, signal: new AbortController().signal };
  await scripted.connect!({ ...link, heard, warn() {}, async tell() {} });
  expect(told).toEqual([{ on: 'turn-ended', last: 'all steps are done' }]);
});

it('has no window of its own: furrow alone cannot start it in one', async () => {
  const name = 'FURROW_SCRIPTED_WINDOW';
  const { [name]: before } = process.env;
  delete process.env[name];
  try {
    const request = { settings: { mode: 'window' } } as unknown as LaunchRequest;
    await expect(scripted.launch(request)).rejects.toMatchObject({ code: 'CONFIG', hint: 'remove `mode: window`' });
  } finally {
    process.env[name] = before;
  }
});

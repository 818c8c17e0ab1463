import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ScreenReading } from '../../../src/agents/agent/driver.ts';
import type { AgentEvent, Source, ToolUse, Trouble } from '../../../src/agents/agent/event.ts';
import { derive, hasFailed, nextChange } from '../../../src/agents/supervision/derive.ts';
import {
  closeRequest,
  emptySignals,
  fold,
  foldScreen,
  foldTitle,
  heldUntil,
  relaunched,
  type Signals,
} from '../../../src/agents/supervision/signals.ts';
import { claudeHook, codexTurns, opencodeEvents } from '../agent/recorded.ts';

const shown = (signals: Signals | undefined, now = Number.MAX_SAFE_INTEGER) => {
  const { state, detail } = derive(signals, 'alive', now);
  return detail === null ? state : `${state} ${detail}`;
};
const hear = (signals: Signals, events: readonly AgentEvent[], at: number, source: Source = 'hook') =>
  events.reduce((all, event) => fold(all, event, source, at), signals);
/** What was known after each step. */
function replay(steps: readonly ((signals: Signals) => Signals)[]): Signals[] {
  const all: Signals[] = [];
  for (const step of steps) all.push(step(all.at(-1) ?? emptySignals(0)));
  return all;
}
const bash: ToolUse = { name: 'Bash', action: 'run', command: 'make', paths: [], input: {} };
const prompt: AgentEvent = { on: 'prompt', text: 'do it' };
const working = fold(emptySignals(0), prompt, 'hook', 10);
const screen = (state: ScreenReading['state'], detail?: string): ScreenReading => ({ state, draft: '', ...(detail && { detail }) });

describe('the recorded words of', () => {
  it('claude: started, asked for leave, answered, ended', () => {
    const steps = [
      claudeHook('SessionStart'),
      claudeHook('UserPromptSubmit'),
      claudeHook('PreToolUse'),
      claudeHook('PermissionRequest', 'stub.txt'),
      claudeHook('Notification', 'permission_prompt'),
      claudeHook('PostToolUse', 'stub.txt'),
      claudeHook('Stop'),
      claudeHook('Notification', 'idle_prompt'),
      claudeHook('SessionEnd'),
    ];
    const all = replay(steps.map((events, i) => (signals) => hear(signals, events, i + 1)));
    const signals = all.at(-1);
    expect(all.map((now) => shown(now))).toEqual([
      'idle',
      'working',
      'working',
      'waiting permission',
      'waiting permission',
      'working',
      'idle turn-ended',
      'idle turn-ended',
      'stopped closed',
    ]);
    expect(signals).toMatchObject({ turns: 1, session: expect.stringContaining('d41e9dfd'), open: [] });
    expect(JSON.parse(JSON.stringify(signals))).toEqual(signals);
  });

  it('claude: a question, and its answer in the window', () => {
    const asking = hear(working, claudeHook('PermissionRequest', 'Which database'), 20);
    expect([shown(asking), derive(asking, 'alive', 30).text]).toEqual(['waiting question', 'Which database?']);
    const answered = hear(asking, claudeHook('PostToolUse', 'Which database'), 40);
    expect([shown(answered), answered.humanAt]).toEqual(['working', 40]);
  });

  it.each([
    ['rate_limit', 'limited limit'],
    ['authentication_failed', 'waiting auth'],
    ['529', 'limited overloaded'],
  ])('claude: a turn that failed for %s', (part, state) => expect(shown(hear(working, claudeHook('StopFailure', part), 20))).toBe(state));

  it('codex: steered, interrupted, refused', () => {
    const all = replay(
      codexTurns().map(
        ({ event, at }) =>
          (signals) =>
            fold(signals, event, 'channel', at),
      ),
    );
    const states = all.map((signals) => shown(signals));
    expect(states.filter((state, i) => state !== states[i - 1])).toEqual([
      'working',
      'idle turn-ended',
      'working',
      'idle interrupted',
      'working',
      'waiting auth',
    ]);
    expect(all.at(-1)?.turns).toBe(3);
  });

  it('opencode: busy, asked, idle, retrying until the hour it names', () => {
    const all = replay(opencodeEvents().map((event, i) => (signals) => fold(signals, event, 'channel', i)));
    expect(all.map((signals) => shown(signals))).toEqual([
      'idle',
      'working',
      'waiting permission',
      'working',
      'idle turn-ended',
      'limited retrying',
      'waiting auth',
      'waiting auth',
      'idle interrupted',
      'waiting question',
      'working',
    ]);
    const [retry] = opencodeEvents().filter((event) => event.on === 'retrying');
    expect(derive(fold(all.at(-1)!, retry!, 'channel', 99), 'alive', 99)).toMatchObject({ until: 1_794_705_823_412 });
  });
});

describe('the process', () => {
  it('that is gone is dead whatever was said, and stopped when it said goodbye', () => {
    expect(derive(working, 'dead', 20)).toMatchObject({ state: 'dead', sure: true, since: 10 });
    const closed = fold(working, { on: 'closed', reason: 'exit' }, 'hook', 20);
    expect([derive(closed, 'dead', 30), derive(closed, 'alive', 30)].map(({ state, sure }) => [state, sure])).toEqual([
      ['stopped', true],
      ['stopped', false],
    ]);
  });
  it('that cannot be looked at is never dead, and nothing is sure then', () =>
    expect([derive(working, 'unknown', 20), derive(undefined, 'unknown', 20)].map(({ state, sure }) => [state, sure])).toEqual([
      ['working', false],
      ['unknown', false],
    ]));
  it('of an agent that says nothing works while it lives', () =>
    expect(derive(undefined, 'alive', 5)).toMatchObject({ state: 'working', sure: true }));
  it('that is up without a word is starting', () => expect(shown(emptySignals(0))).toBe('starting'));
  it('that was started again begins anew with its conversation', () => {
    const ready = fold(working, { on: 'ready', session: 's' }, 'hook', 11);
    const again = relaunched(ready, 50, true);
    expect([shown(again), again.session, shown(fold(again, { on: 'ready', session: 's' }, 'hook', 60))]).toEqual(['starting', 's', 'idle']);
  });
});

it('in another conversation has another transcript, or none that is known yet', () => {
  const first = fold(emptySignals(0), { on: 'ready', session: 'one', transcript: 'one.jsonl' }, 'hook', 1);
  expect(fold(first, { on: 'ready', session: 'one' }, 'hook', 2).transcriptPath).toBe('one.jsonl');
  expect(fold(first, { on: 'ready', session: 'two' }, 'hook', 2).transcriptPath).toBeUndefined();
});

it('that is ready again in the middle of a turn works on; another conversation is a new beginning', () => {
  const ready = (session: string): AgentEvent => ({ on: 'ready', session, transcript: `${session}.jsonl` });
  const busy = fold(fold(emptySignals(0), ready('s'), 'hook', 1), prompt, 'hook', 2);
  const other = fold(busy, ready('t'), 'hook', 3);
  expect([shown(fold(busy, ready('s'), 'hook', 3)), shown(other), other.transcriptPath]).toEqual(['working', 'idle', 't.jsonl']);
});

describe('a weaker source', () => {
  it('tells of an interrupt that has no hook, and only when it is the later one', () => {
    const stopped = fold(working, { on: 'interrupted' }, 'transcript', 20);
    expect([shown(stopped), stopped.turnOpen]).toEqual(['idle interrupted', false]);
    expect(shown(fold(stopped, { on: 'tool-done', tool: bash, failed: true }, 'hook', 21))).toBe('idle interrupted');
    expect(shown(fold(stopped, prompt, 'hook', 30))).toBe('working');
  });
  it('gives the reason of an end that the hook told without one, in either order', () => {
    const ended: AgentEvent = { on: 'turn-ended', last: '' };
    const failed: AgentEvent = { on: 'turn-failed', why: 'limit', text: '429' };
    expect(shown(fold(fold(working, ended, 'hook', 20), failed, 'transcript', 25))).toBe('limited limit');
    expect(shown(fold(fold(working, failed, 'transcript', 20), ended, 'hook', 25))).toBe('limited limit');
  });
  it('that is read late does not open a turn again', () => {
    const ended = fold(working, { on: 'turn-ended', last: '' }, 'hook', 20);
    const late = fold(fold(ended, prompt, 'transcript', 21), { on: 'turn-ended', last: '' }, 'transcript', 22);
    expect([shown(late), late.turns, late.turnOpen]).toEqual(['idle turn-ended', 1, false]);
  });
  it('counts when it has stood for two seconds, and is never sure', () => {
    const titled = foldTitle(emptySignals(0), { state: 'waiting', detail: 'permission' }, 100);
    expect([shown(titled, 2_099), shown(titled, 2_100), derive(titled, 'alive', 9_000).sure]).toEqual([
      'starting',
      'waiting permission',
      false,
    ]);
    expect(nextChange(titled, 100)).toBe(2_100);
  });
  it('on the screen counts by two equal looks, two seconds apart', () => {
    const login = screen('waiting', 'login');
    const once = foldScreen(emptySignals(0), login, 100);
    const soon = foldScreen(once, login, 1_000);
    expect([once, foldScreen(once, login, 100), soon, foldScreen(soon, login, 2_100)].map((signals) => shown(signals))).toEqual([
      'starting',
      'starting',
      'starting',
      'waiting login',
    ]);
    expect(shown(foldScreen(foldScreen(once, screen('idle'), 1_500), login, 9_000))).toBe('starting');
  });
  it('is believed against hooks that have been silent for half a minute, and not before', () => {
    const ready = foldTitle(working, { state: 'idle' }, 20);
    expect([shown(ready, 30_009), shown(ready, 30_010), nextChange(ready, 5_000)]).toEqual(['working', 'idle', 30_010]);
    const twice = (from: number) => foldScreen(foldScreen(working, screen('idle'), from), screen('idle'), from + 3_000);
    expect([shown(twice(5_000)), shown(twice(40_000))]).toEqual(['working', 'idle']);
  });
  it('does not turn the old error on the screen of an agent that has ended into a new one', () => {
    const ended = fold(working, { on: 'turn-ended', last: '' }, 'hook', 20);
    expect(shown(foldScreen(foldScreen(ended, screen('limited', 'limit'), 100), screen('limited', 'limit'), 3_000))).toBe(
      'idle turn-ended',
    );
  });
  it('that cannot read the screen leaves what is known', () => {
    const blind = (signals: Signals) => foldScreen(foldScreen(signals, screen('unknown'), 50_000), screen('unknown'), 60_000);
    expect([shown(blind(working)), shown(blind(emptySignals(0)))]).toEqual(['working', 'unknown']);
  });
});

it('waits while one of several requests is open, and for nobody when furrow answered', () => {
  const ask = (request: string, command: string): AgentEvent => ({ on: 'permission', request, tool: { ...bash, command } });
  const two = hear(working, [ask('1', 'make'), ask('2', 'make x'), ask('2', 'make x')], 20);
  const one = closeRequest(two, '1');
  const none = fold(one, { on: 'tool-done', tool: { ...bash, command: 'make x' }, failed: false }, 'hook', 30);
  expect([two, one, none].map((signals) => [shown(signals), signals.open.length])).toEqual([
    ['waiting permission', 2],
    ['waiting permission', 1],
    ['working', 0],
  ]);
  expect(fold(one, { on: 'answered', request: '1' }, 'hook', 40).humanAt).toBeUndefined();
});

it('takes what a conversation has cost for no sign of life', () => {
  const usage: AgentEvent = { on: 'usage', session: 's', usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, context: 0.5 } };
  expect(fold(working, usage, 'hook', 99)).toEqual({ ...working, usageContext: 0.5 });
});

const trouble = fc.constantFrom<Trouble>('auth', 'limit', 'overloaded', 'context', 'error');
const anyEvent: fc.Arbitrary<AgentEvent> = fc.oneof(
  fc.record({ on: fc.constant('ready' as const), session: fc.constantFrom('s', 't') }),
  fc.constantFrom<AgentEvent>(prompt, { on: 'interrupted' }, { on: 'turn-ended', last: 'x' }, { on: 'closed', reason: 'x' }),
  fc.record({ on: fc.constant('tool' as const), tool: fc.constant(bash) }),
  fc.record({ on: fc.constant('tool-done' as const), tool: fc.constant(bash), failed: fc.boolean() }),
  fc.record({ on: fc.constant('permission' as const), request: fc.constantFrom('1', '2'), tool: fc.constant(bash) }),
  fc.record({ on: fc.constant('question' as const), request: fc.constantFrom('3'), questions: fc.constant([]) }),
  fc.record({ on: fc.constant('answered' as const), request: fc.constantFrom('1', '2', '3') }),
  fc.record({ on: fc.constantFrom('turn-failed' as const, 'retrying' as const), why: trouble, text: fc.constant('x') }),
);
const source = fc.constantFrom<Source>('hook', 'channel', 'transcript', 'title', 'screen');
const heard = fc.array(fc.tuple(anyEvent, source, fc.nat(20_000)), { maxLength: 12 }).map((steps) => {
  const times = steps.map((_, i) => steps.slice(0, i + 1).reduce((sum, [, , after]) => sum + after, 0));
  return steps.reduce((signals, [event, from], i) => fold(signals, event, from, times[i]!), emptySignals(0));
});

describe('whatever is heard', () => {
  it('the same event again changes nothing', () =>
    fc.assert(
      fc.property(heard, anyEvent, source, (signals, event, from) => {
        const once = fold(signals, event, from, 300_000);
        expect(fold(once, event, from, 300_000)).toEqual(once);
        expect(fold(once, event, from, 400_000).turns).toBe(once.turns);
      }),
    ));
  it('the answer holds until the time that was named', () =>
    fc.assert(
      fc.property(heard, fc.nat(300_000), fc.nat(60_000), (signals, now, later) => {
        const next = nextChange(signals, now) ?? Number.POSITIVE_INFINITY;
        fc.pre(now + later < next);
        expect(derive(signals, 'alive', now + later)).toEqual(derive(signals, 'alive', now));
      }),
    ));
  it('it is dead only by its process', () =>
    fc.assert(
      fc.property(
        heard,
        fc.constantFrom('alive' as const, 'unknown' as const),
        (signals, look) => derive(signals, look, 1e6).state !== 'dead',
      ),
    ));
});

describe('a turn for which the model could not be asked', () => {
  const failed = (why: Trouble) => fold(working, { on: 'turn-failed', why, text: '' }, 'hook', 20);
  it('has failed until the next one begins', () => {
    const troubles: Trouble[] = ['auth', 'limit', 'overloaded', 'context', 'error'];
    expect(troubles.filter((why) => !hasFailed(failed(why), 30))).toEqual([]);
    expect(hasFailed(working, 30)).toBe(false);
    expect(hasFailed(fold(failed('limit'), prompt, 'hook', 40), 50)).toBe(false);
    expect(hasFailed(fold(working, { on: 'turn-ended', last: '' }, 'hook', 20), 30)).toBe(false);
  });
  it('is held for as long as its provider is, unless it was told a time itself', () => {
    expect(derive(heldUntil(failed('limit'), 99), 'alive', 30)).toMatchObject({ state: 'limited', until: 99 });
    const told = fold(working, { on: 'turn-failed', why: 'limit', text: '', until: 77 }, 'hook', 20);
    expect(derive(heldUntil(told, 99), 'alive', 30).until).toBe(77);
    expect(heldUntil(failed('auth'), 99)).toEqual(failed('auth'));
  });
});

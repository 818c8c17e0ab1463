import { describe, expect, it } from 'vitest';
import { frameOf } from '../../../src/faces/top/frame.ts';
import type { Press } from '../../../src/faces/top/key-press.ts';
import type { Model } from '../../../src/faces/top/model.ts';
import { type Effect, reduce } from '../../../src/faces/top/reduce.ts';
import { chosenKey, START, type State, settle } from '../../../src/faces/top/state.ts';
import { agent, crowd, event, model, NOW, question, task, view } from './fixture.ts';

const SIZE = { width: 160, height: 50 };
const key = (name: string): Press => ({ on: 'key', name });

/** The state and all effects after these keys; a text of several letters is typed. */
function pressed(known: Model, presses: readonly (string | Press)[], from?: State, size = SIZE): { state: State; effects: Effect[] } {
  let state = from ?? settle(START, known, known, NOW - 60_000);
  const effects: Effect[] = [];
  for (const press of presses) {
    const { layout, spots } = frameOf(known, state, size, NOW);
    const next = reduce(state, typeof press === 'string' ? key(press) : press, { model: known, layout, spots, now: NOW });
    state = next.state;
    if (next.effect) effects.push(next.effect);
  }
  return { state, effects };
}

const asks = model(view({ attention: [question('1', 'permission'), question('2', 'ask'), question('3', 'agent', { agent: 'ada' })] }));

describe('a question', () => {
  it('is answered by its key, in place', () => {
    expect(pressed(asks, ['a']).effects).toMatchObject([{ do: 'step', step: { command: ['answer', '1', 'allow'] } }]);
    expect(pressed(asks, ['enter', 'd']).effects).toMatchObject([{ do: 'step', step: { command: ['answer', '1', 'deny'] } }]);
  });

  it('that wants words opens a line for them; an empty one says nothing', () => {
    const typed = pressed(asks, ['down', 't', ...'Use SQLitee', 'backspace', 'enter']);
    expect(typed.effects).toMatchObject([{ do: 'step', step: { command: ['answer', '2'] }, text: 'Use SQLite' }]);
    expect(typed.state.open).toBeUndefined();
    expect(pressed(asks, ['down', 't', ' ', 'enter']).effects).toEqual([]);
    expect(pressed(asks, ['down', 't', 'q', 'esc']).state.open).toBeUndefined();
  });

  it('with options is answered by the key of one of them', () => {
    const request = { questions: [{ text: 'Which?', options: ['the first', 'the second'] }] };
    const offers = model(view({ attention: [question('4', 'question', { request })] }));
    expect(pressed(offers, ['b']).effects).toMatchObject([{ do: 'step', step: { command: ['answer', '4', 'the second'] } }]);
  });

  it('has no key that moves: its window opens with the capital', () => {
    expect(chosenKey(pressed(asks, ['down', 'j']).state)).toBe('3');
    expect(pressed(asks, ['down', 'down', 'J']).effects).toMatchObject([{ do: 'step', step: { command: ['attach', 'ada'] } }]);
  });

  it('keeps its place when more urgent ones come', () => {
    const more = model(view({ attention: [question('9', 'queue'), question('1', 'permission')] }));
    const state = settle(pressed(asks, []).state, asks, more, NOW);
    expect(chosenKey(state)).toBe('1');
    expect(pressed(more, ['a'], state).effects).toMatchObject([{ step: { command: ['answer', '1', 'allow'] } }]);
  });

  it('that took the place of another one is not answered by a key that was meant for that', () => {
    const less = model(view({ attention: [question('2', 'permission')] }));
    const state = settle(pressed(asks, []).state, asks, less, NOW - 100);
    expect(chosenKey(state)).toBe('2');
    const { effects, state: said } = pressed(less, ['a'], state);
    expect([effects, said.said?.text]).toEqual([[], 'the list has just changed; press the key again']);
    expect(pressed(less, ['a'], settle(pressed(asks, []).state, asks, less, NOW - 1000)).effects).toHaveLength(1);
    expect(pressed(less, ['home', 'a'], state).effects).toHaveLength(1);
  });
});

const farm = model(crowd(20, 500), [event(1, { text: 'ada found the needle' })]);

describe('keys', () => {
  it('go from panel to panel by number and Tab', () => {
    expect(pressed(farm, ['3']).state.focus).toBe('board');
    expect(pressed(farm, ['3', 'tab']).state.focus).toBe('queue');
    expect(pressed(farm, ['shift-tab']).state.focus).toBe('events');
    expect(pressed(farm, ['6']).state.corner).toBe('cost');
  });

  it('move through a list, by one, by pages and to its ends, and stop there', () => {
    const at = (...keys: string[]) => chosenKey(pressed(farm, ['2', ...keys]).state);
    expect([at('j'), at('k'), at('down', 'down', 'up')]).toEqual(['agent-2', 'agent-1', 'agent-2']);
    expect([at('end'), at('end', 'j'), at('end', 'home')]).toEqual(['agent-20', 'agent-20', 'agent-1']);
    expect(at('pgdn')).toBe('agent-16');
  });

  it('move through the columns of the board', () => {
    const at = (...keys: string[]) => chosenKey(pressed(farm, ['3', ...keys]).state);
    expect([at(), at('right'), at('right', 'down', 'left')]).toEqual(['default/2', 'default/1', 'default/8']);
  });

  it('pause, resume, attach, and show the change of the chosen one', () => {
    expect(pressed(farm, ['2', 'j', 'p', 'r', 'a', 'd', 'w', 'P']).effects).toEqual([
      { do: 'pause', agent: 'agent-2' },
      { do: 'resume', agent: 'agent-2' },
      { do: 'attach', agent: 'agent-2' },
      { do: 'show', words: ['diff', '2'] },
      { do: 'show', words: ['why', '2'] },
      { do: 'pause', agent: undefined },
    ]);
    const nobody = model(view({ tasks: [task('1')] }));
    expect(pressed(nobody, ['3', 'p'])).toMatchObject({
      effects: [],
      state: { said: { text: expect.stringContaining('no agent is chosen') } },
    });
  });

  it('open and close: q closes what is open before it quits, Ctrl-C always quits', () => {
    expect(pressed(farm, ['2', 'enter']).state.open).toEqual({ kind: 'peek', agent: 'agent-1' });
    expect(pressed(farm, ['?', 'q'])).toMatchObject({ state: { open: undefined }, effects: [] });
    expect(pressed(farm, ['q']).effects).toEqual([{ do: 'quit' }]);
    expect(pressed(farm, ['/', 'ctrl-c']).effects).toEqual([{ do: 'quit' }]);
  });

  it('search tasks, agents and events, and go to what was found', () => {
    expect(pressed(farm, ['/', ...'title task 499', 'enter']).state).toMatchObject({
      focus: 'board',
      choices: { board: { key: 'default/499' } },
    });
    expect(pressed(farm, ['/', ...'needle', 'enter']).state).toMatchObject({ focus: 'events', choices: { events: { key: '1' } } });
    expect(pressed(farm, ['/', ...'agent-1', 'down', 'enter']).state).toMatchObject({
      focus: 'agents',
      choices: { agents: { key: 'agent-10' } },
    });
    expect(pressed(farm, ['/', ...'nothing of this', 'enter']).state).toMatchObject({ focus: 'attention', open: undefined });
  });
});

describe('the mouse', () => {
  const spotOf = (panel: string, of: string | undefined) => {
    const found = frameOf(farm, pressed(farm, []).state, SIZE, NOW).spots.find((spot) => spot.panel === panel && spot.key === of)!;
    return { x: found.from, y: found.y };
  };
  const click = (panel: string, of: string | undefined): Press => ({ on: 'click', ...spotOf(panel, of) });

  it('chooses with a click, and opens with a second one', () => {
    const once = pressed(farm, [click('agents', 'agent-3')]).state;
    expect([once.focus, chosenKey(once), once.open]).toEqual(['agents', 'agent-3', undefined]);
    expect(pressed(farm, [click('agents', 'agent-3'), click('agents', 'agent-3')]).state.open).toEqual({ kind: 'peek', agent: 'agent-3' });
    expect(chosenKey(pressed(farm, [click('board', 'default/14')]).state)).toBe('default/14');
    expect(pressed(farm, [click('queue', undefined)]).state.focus).toBe('queue');
  });

  it('scrolls the panel under it', () => {
    expect(chosenKey(pressed(farm, [{ on: 'wheel', by: 1, ...spotOf('agents', undefined) }]).state)).toBe('agent-4');
  });
});

it('a choice that has gone gives way to what is in its place now', () => {
  const before = model(view({ agents: ['a', 'b', 'c'].map((name) => agent(name)) }));
  const two = model(view({ agents: ['a', 'c'].map((name) => agent(name)) }));
  const chosen = pressed(before, ['2', 'j']).state;
  expect(chosenKey(settle(chosen, before, two, NOW))).toBe('c');
  expect(chosenKey(settle(chosen, before, model(view({})), NOW))).toBeUndefined();
});

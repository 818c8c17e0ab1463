import { type NextStep, stepsFor } from '../../work/question/next-step.ts';
import type { Press } from './key-press.ts';
import { type Action, actionOf } from './keys.ts';
import type { Layout } from './layout.ts';
import type { Model } from './model.ts';
import type { PanelId } from './panel/panel.ts';
import { PANELS } from './panels.ts';
import { keyOfStep } from './question.ts';
import { found } from './search.ts';
import { choose, chosenKey, focusOn, move, moveAside, nextPanel, type Open, pageOf, type State } from './state.ts';
import { questionOf, subjectOf } from './subject.ts';

/** Something to be done outside of the screen. */
export type Effect =
  | { readonly do: 'quit' }
  | { readonly do: 'step'; readonly step: NextStep; readonly text?: string }
  | { readonly do: 'pause' | 'resume'; readonly agent: string | undefined }
  | { readonly do: 'attach'; readonly agent: string | undefined }
  /** A command of furrow that shows something, on the whole terminal. */
  | { readonly do: 'show'; readonly words: readonly string[] };

/** A place on the screen that a click chooses. */
export interface Spot {
  readonly panel: PanelId;
  readonly y: number;
  readonly from: number;
  readonly to: number;
  /** None: the panel itself, or its tab. */
  readonly key: string | undefined;
}

/** The screen as the person sees it at the time of a press. */
export interface Seen {
  readonly model: Model;
  readonly layout: Layout;
  readonly spots: readonly Spot[];
  readonly now: number;
}

interface Next {
  readonly state: State;
  readonly effect?: Effect;
}

const say = (state: State, text: string): Next => ({ state: { ...state, said: { text, tone: 'warn' } } });

/** The state after a press, and what is to be done for it. */
export function reduce(before: State, press: Press, seen: Seen): Next {
  const state = before.said ? { ...before, said: undefined } : before;
  if (press.on !== 'key') return { state: pointed(state, press, seen) };
  if (press.name === 'ctrl-c') return { state, effect: { do: 'quit' } };
  const { open } = state;
  if (open?.kind === 'answer' || open?.kind === 'search') return typed(state, open, press.name, seen);
  const answered = answer(state, press.name, seen);
  if (answered) return answered;
  const does = actionOf(press.name);
  if (does === undefined) return { state };
  if (typeof does === 'object') return { state: focusOn({ ...state, open: undefined }, does.panel) };
  return act(state, does, seen);
}

/** For this long after the question under the cursor changed, a key may have been meant for the one before. */
const SURPRISE_MS = 500;

/** A key of the question under the cursor. */
function answer(state: State, name: string, { model, now }: Seen): Next | undefined {
  const question = questionOf(state, model);
  const step = question && stepsFor(question).find((one) => keyOfStep(one) === name);
  if (!step) return undefined;
  if (now - state.movedAt < SURPRISE_MS) return say(state, 'the list has just changed; press the key again');
  if (step.takes !== null) return { state: { ...state, open: { kind: 'answer', question: question.id, step, text: '' } } };
  return { state: step.looks ? state : { ...state, open: undefined }, effect: { do: 'step', step } };
}

function act(state: State, action: Action, seen: Seen): Next {
  const { model, layout } = seen;
  const subject = subjectOf(state, model);
  const { focus, open } = state;
  const moved = scrolled(state, action, seen);
  if (moved) return { state: moved };
  switch (action) {
    case 'up':
    case 'down':
      return { state: move(state, focus, model, layout, action === 'up' ? -1 : 1) };
    case 'left':
    case 'right':
      return { state: moveAside(state, focus, model, action === 'left' ? -1 : 1) };
    case 'pageUp':
    case 'pageDown':
      return { state: move(state, focus, model, layout, (action === 'pageUp' ? -1 : 1) * Math.max(1, pageOf(layout, focus) - 1)) };
    case 'first':
    case 'last':
      return { state: move(state, focus, model, layout, action === 'first' ? -Infinity : Infinity) };
    case 'nextPanel':
    case 'lastPanel':
      return { state: nextPanel({ ...state, open: undefined }, action === 'nextPanel' ? 1 : -1) };
    case 'zoom':
      return { state: { ...state, zoom: !state.zoom } };
    case 'close':
      return { state: open ? { ...state, open: undefined } : { ...state, zoom: false } };
    case 'help':
      return { state: { ...state, open: open?.kind === 'help' ? undefined : { kind: 'help', top: 0 } } };
    case 'search':
      return { state: { ...state, open: { kind: 'search', query: '', at: 0 } } };
    case 'open':
      return { state: opened(state, model) };
    case 'peek':
      if (subject.agent === undefined) return say(state, 'no agent is chosen: 2 shows the agents');
      return { state: { ...state, open: { kind: 'peek', agent: subject.agent } } };
    case 'quit':
      // The key that quits most programs first closes what is open here.
      return open ? { state: { ...state, open: undefined } } : { state, effect: { do: 'quit' } };
    case 'attach':
      return { state, effect: { do: 'attach', agent: subject.agent } };
    case 'diff':
    case 'why': {
      const about = subject.task ?? subject.agent;
      return about === undefined
        ? say(state, 'no task is chosen: 3 shows the board')
        : { state, effect: { do: 'show', words: [action, about] } };
    }
    case 'pause':
    case 'resume':
      if (subject.agent === undefined)
        return say(state, `no agent is chosen; ${action === 'pause' ? 'P pauses' : 'R resumes'} all of them`);
      return { state, effect: { do: action, agent: subject.agent } };
    case 'pauseFarm':
    case 'resumeFarm':
      return { state, effect: { do: action === 'pauseFarm' ? 'pause' : 'resume', agent: undefined } };
    default:
      return action satisfies never;
  }
}

function opened(state: State, model: Model): State {
  if (state.open) return { ...state, open: undefined };
  const key = chosenKey(state) ?? PANELS[state.focus].columns(model).flat()[0];
  if (key === undefined) return state;
  if (state.focus === 'agents') return { ...state, open: { kind: 'peek', agent: key } };
  return { ...state, open: { kind: 'details', panel: state.focus, key, top: 0 } };
}

/** Keys that move, while a text is open: they move the text. */
function scrolled(state: State, action: Action, { layout }: Seen): State | undefined {
  const { open } = state;
  if (open?.kind !== 'help' && open?.kind !== 'details') return undefined;
  const page = Math.max(1, layout.size.height - 8);
  const by: Partial<Record<Action, number>> = { up: -1, down: 1, pageUp: -page, pageDown: page, first: -Infinity, last: Infinity };
  const step = by[action];
  return step === undefined ? undefined : { ...state, open: { ...open, top: Math.min(MOST_ROWS, Math.max(0, open.top + step)) } };
}

/** The most rows to scroll back: only the drawing knows where a text ends, and stops there. */
const MOST_ROWS = 100_000;

/** Keys while a line of text is open. */
function typed(state: State, open: Extract<Open, { kind: 'answer' | 'search' }>, name: string, seen: Seen): Next {
  if (name === 'esc') return { state: { ...state, open: undefined } };
  if (name === 'enter') return open.kind === 'answer' ? sent(state, open) : { state: jumped(state, open, seen) };
  if (name === 'up' || name === 'down') {
    if (open.kind === 'answer') return { state };
    const last = Math.max(0, found(seen.model, open.query).length - 1);
    return { state: { ...state, open: { ...open, at: Math.max(0, Math.min(last, open.at + (name === 'up' ? -1 : 1))) } } };
  }
  const text = edited(open.kind === 'answer' ? open.text : open.query, name);
  return { state: { ...state, open: open.kind === 'answer' ? { ...open, text } : { ...open, query: text, at: 0 } } };
}

function edited(text: string, name: string): string {
  if (name === 'backspace') return [...text].slice(0, -1).join('');
  if (name === 'ctrl-u') return '';
  if (name === 'ctrl-w') return text.replace(/\S+\s*$/, '');
  return [...name].length === 1 ? text + name : text;
}

function sent(state: State, { step, text }: Extract<Open, { kind: 'answer' }>): Next {
  const words = text.trim();
  if (words === '') return say({ ...state, open: undefined }, 'nothing was typed, so nothing was sent');
  return { state: { ...state, open: undefined }, effect: { do: 'step', step, text: words } };
}

/** Goes to what was found. */
function jumped(state: State, open: Extract<Open, { kind: 'search' }>, { model }: Seen): State {
  const hit = found(model, open.query)[open.at];
  if (!hit) return { ...state, open: undefined };
  return choose(focusOn({ ...state, open: undefined }, hit.panel), hit.panel, hit.key, 0);
}

/** The wheel moves by so many rows. */
const NOTCH = 3;

function pointed(state: State, press: Exclude<Press, { on: 'key' }>, seen: Seen): State {
  const { open } = state;
  const at = seen.spots.filter(({ y, from, to }) => y === press.y && press.x >= from && press.x < to);
  const spot = at.find(({ key }) => key !== undefined) ?? at[0];
  if (press.on === 'wheel') {
    if (open) return scrolled(state, press.by === 1 ? 'down' : 'up', seen) ?? state;
    return spot ? move(focusOn(state, spot.panel), spot.panel, seen.model, seen.layout, press.by * NOTCH) : state;
  }
  if (open) return open.kind === 'answer' ? state : { ...state, open: undefined };
  if (!spot) return state;
  const focused = focusOn(state, spot.panel);
  if (spot.key === undefined) return focused;
  // A second click on what is chosen opens it.
  if (state.focus === spot.panel && chosenKey(state, spot.panel) === spot.key) return opened(focused, seen.model);
  return choose(focused, spot.panel, spot.key);
}

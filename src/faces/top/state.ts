import type { NextStep } from '../../work/question/next-step.ts';
import { inside, isInCorner, type Layout } from './layout.ts';
import type { Tone } from './line.ts';
import type { Model } from './model.ts';
import { type Choice, firstShown, PANEL_IDS, type PanelId } from './panel/panel.ts';
import { PANELS } from './panels.ts';

/** Something over the panels; keys are for it while it is there. */
export type Open =
  | { readonly kind: 'help'; readonly top: number }
  | { readonly kind: 'details'; readonly panel: PanelId; readonly key: string; readonly top: number }
  | { readonly kind: 'peek'; readonly agent: string }
  | { readonly kind: 'search'; readonly query: string; readonly at: number }
  /** The line in which the text of an answer is typed. */
  | { readonly kind: 'answer'; readonly question: string; readonly step: NextStep; readonly text: string };

/** Everything that keys and mouse change. The farm is in the model, and never changes by a key alone. */
export interface State {
  readonly focus: PanelId;
  readonly corner: PanelId;
  readonly zoom: boolean;
  readonly choices: Readonly<Partial<Record<PanelId, Choice>>>;
  readonly open: Open | undefined;
  /** The last thing that was done, or why not. */
  readonly said: { readonly text: string; readonly tone: Tone } | undefined;
  /** When the farm last put another question under the cursor. */
  readonly movedAt: number;
}

export const START: State = {
  focus: 'attention',
  corner: 'events',
  zoom: false,
  choices: {},
  open: undefined,
  said: undefined,
  movedAt: Number.NEGATIVE_INFINITY,
};

const NONE: Choice = { key: undefined, top: 0 };
export const choiceOf = (state: State, panel: PanelId): Choice => state.choices[panel] ?? NONE;

/** The chosen key of a panel, if it has any. */
export const chosenKey = (state: State, panel: PanelId = state.focus): string | undefined => choiceOf(state, panel).key;

export function focusOn(state: State, panel: PanelId): State {
  return { ...state, focus: panel, corner: isInCorner(panel) ? panel : state.corner };
}

export function nextPanel(state: State, by: 1 | -1): State {
  const at = PANEL_IDS.indexOf(state.focus) + by + PANEL_IDS.length;
  return focusOn(state, PANEL_IDS[at % PANEL_IDS.length]!);
}

export function choose(state: State, panel: PanelId, key: string | undefined, top = choiceOf(state, panel).top): State {
  return { ...state, choices: { ...state.choices, [panel]: { key, top } } };
}

/** The place of a key among the columns of a panel; the first one where it is not. */
function placeOf(columns: readonly (readonly string[])[], key: string | undefined): { column: number; at: number } {
  const column = columns.findIndex((keys) => key !== undefined && keys.includes(key));
  if (column >= 0) return { column, at: columns[column]!.indexOf(key!) };
  return {
    column: Math.max(
      0,
      columns.findIndex((keys) => keys.length > 0),
    ),
    at: 0,
  };
}

/** Chooses the item so many further in its column. */
export function move(before: State, panel: PanelId, model: Model, layout: Layout, by: number): State {
  const columns = PANELS[panel].columns(model);
  const state = panel === 'attention' ? seen(before) : before;
  const { column, at } = placeOf(columns, chosenKey(state, panel));
  const keys = columns[column] ?? [];
  const to = Math.max(0, Math.min(keys.length - 1, at + by));
  if (to === 0 && PANELS[panel].follows) return choose(state, panel, undefined, 0);
  return inSight(choose(state, panel, keys[to]), panel, layout, to, keys.length);
}

/** Chooses the item beside the chosen one, in the next column that has any. */
export function moveAside(state: State, panel: PanelId, model: Model, by: 1 | -1): State {
  const columns = PANELS[panel].columns(model);
  const { column, at } = placeOf(columns, chosenKey(state, panel));
  for (let n = column + by; n >= 0 && n < columns.length; n += by) {
    const keys = columns[n]!;
    if (keys.length > 0) return choose(state, panel, keys[Math.min(at, keys.length - 1)], 0);
  }
  return state;
}

/** A person who moves in the list has seen it as it is. */
const seen = (state: State): State => ({ ...state, movedAt: Number.NEGATIVE_INFINITY });

function inSight(state: State, panel: PanelId, layout: Layout, at: number, count: number): State {
  const { key, top } = choiceOf(state, panel);
  return choose(state, panel, key, firstShown(top, at, pageOf(layout, panel), count));
}

/** So many items of a panel are in sight. */
export function pageOf(layout: Layout, panel: PanelId): number {
  const place = layout.places.find(({ id }) => id === panel);
  return place ? inside(place).height : 1;
}

/**
 * Keeps every choice on an item that exists: a removed item gives way to the one that is now in its place. The time of that is noted, so
 * that a key which was meant for one question is not taken for another.
 */
export function settle(state: State, before: Model, after: Model, now: number): State {
  let next = state;
  for (const panel of PANEL_IDS) {
    const columns = PANELS[panel].columns(after);
    const { key, top } = choiceOf(next, panel);
    if (key === undefined && PANELS[panel].follows) continue;
    if (key !== undefined && columns.some((keys) => keys.includes(key))) continue;
    const old = placeOf(PANELS[panel].columns(before), key);
    const keys = columns[old.column]?.length ? columns[old.column]! : (columns.find((one) => one.length > 0) ?? []);
    const found = keys[Math.min(old.at, keys.length - 1)];
    if (found === key) continue;
    next = choose(next, panel, found, top);
    if (panel === 'attention' && key !== undefined) next = { ...next, movedAt: now };
  }
  return next;
}

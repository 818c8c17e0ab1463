import type { FarmEvent, Item, Out } from '../../api/contract.ts';
import { applyDelta, type Known } from '../../tell/face/delta.ts';
import { foldHistory, type History, NO_HISTORY } from '../../tell/face/timeline.ts';
import type { View } from '../../tell/face/view.ts';

/** Everything that this terminal knows of the farm. */
export interface Model {
  readonly known: Known | undefined;
  /** The newest events, the oldest of them first. */
  readonly events: readonly FarmEvent[];
  /** The work of each agent over time, as far as the events tell. */
  readonly history: History;
  /** `lost`: no daemon answers; what is shown is from before. */
  readonly line: 'up' | 'lost';
  readonly cost: Out<'cost'> | undefined;
  readonly conflicts: Out<'conflicts'> | undefined;
}

export const EMPTY: Model = { known: undefined, events: [], history: NO_HISTORY, line: 'up', cost: undefined, conflicts: undefined };

/** As many events as a person scrolls through; older ones are in `furrow log`. */
const EVENTS_KEPT = 2000;

/** The model after a delta of `watch`. */
export function heard(model: Model, delta: Item<'watch'>): Model {
  const known = applyDelta(model.known, delta);
  const events = delta.events.length === 0 ? model.events : [...model.events, ...delta.events].slice(-EVENTS_KEPT);
  return { ...model, known, events, history: foldHistory(model.history, delta.events), line: 'up' };
}

/** The connection is gone. The client makes it again, and the first delta of the new one is a whole view. */
export const lost = (model: Model): Model => ({ ...model, line: 'lost' });

export const viewOf = (model: Model): View | undefined => model.known?.view;

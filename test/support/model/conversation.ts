import { directiveIn } from './directive.ts';

/** One thing that stands in a conversation, in the same words for every protocol. */
export type Item =
  | { readonly is: 'user'; readonly text: string }
  | { readonly is: 'said' }
  | { readonly is: 'called' }
  | { readonly is: 'result' };

export interface Place {
  /** The directive of the last task; undefined when nobody gave one. */
  readonly directive: string | undefined;
  /** The whole message it came with. */
  readonly task: string;
  /** How many steps of its script are behind us. */
  readonly step: number;
}

/**
 * Where a conversation stands in its script, by nothing but its own text: any number of agents share one server, and
 * one that is resumed goes on where it was. A *task* is a user's message with a directive; the steps behind it are the
 * tools that answered and the turns that ended and were gone on with. Messages without a directive start nothing anew.
 */
export function placeOf(items: readonly Item[]): Place {
  let place: Place = { directive: undefined, task: '', step: 0 };
  let ended = false;
  for (const item of items) {
    if (item.is === 'user') {
      const directive = directiveIn(item.text);
      if (directive !== undefined) place = { directive, task: item.text, step: 0 };
      else if (ended) place = { ...place, step: place.step + 1 };
    }
    if (item.is === 'result') place = { ...place, step: place.step + 1 };
    ended = item.is === 'said';
  }
  return place;
}

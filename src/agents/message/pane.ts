import type { Hush, Typing } from '../../platform/tmux/type.ts';
import type { Pane } from './type-in.ts';

interface Place {
  /** `@n` and `%n` */
  readonly window: string;
  readonly pane: string;
}

/**
 * No time of typing: with it the server types only while nobody looks at the window. Times are in seconds, and somebody who
 * typed elsewhere and came here within the same second would pass for one who has not typed since.
 */
const NOBODY = 'nobody' as Hush;

/**
 * A pane that nobody types in: undefined when a person who looks at its window has pressed a key within `humanMs`. From
 * here on the terminal server itself refuses to type for us once a person does, in the step in which it would have.
 */
export async function quietPane(
  tmux: Pick<Typing, 'paste' | 'key' | 'screen' | 'clients' | 'hush'>,
  place: Place,
  quiet: { readonly humanMs: number; readonly now: number },
  changed: Pane['changed'],
): Promise<Pane | undefined> {
  const taken = await tmux.hush();
  const typed = typedIn(await tmux.clients(), place.window);
  if (typed !== null && quiet.now < typed + quiet.humanMs) return undefined;
  const hush = typed === null ? NOBODY : taken;
  return {
    capture: () => tmux.screen(place.pane),
    paste: (text) => tmux.paste(place.pane, text, hush),
    key: (name) => tmux.key(place.pane, name, hush),
    changed,
  };
}

/** When a key was last pressed by somebody who looks at this window; null when nobody does. */
export function typedIn(viewers: readonly { readonly window: string; readonly activity: number }[], window: string): number | null {
  const times = viewers.filter((viewer) => viewer.window === window).map((viewer) => viewer.activity);
  return times.length > 0 ? Math.max(...times) : null;
}

import { useSyncExternalStore } from 'react';

export interface Route {
  readonly view: string;
  /** The rest of the address after the name of the view: `#/changes/12` gives `12`. */
  readonly rest: string;
}

/** A view is given what the address says after its name. */
export type ViewProps = Pick<Route, 'rest'>;

/** The address of a view, or of one thing in it: `href('changes', '12')`. */
export const href = (view: string, rest = ''): string => `#/${view}${rest ? `/${encodeURIComponent(rest)}` : ''}`;

export function go(view: string, rest = ''): void {
  location.hash = href(view, rest);
}

/** The same place told better, such as the file that is looked at: the way back does not lead through it. */
export function amend(view: string, rest: string): void {
  location.replace(href(view, rest));
}

const subscribe = (changed: () => void) => {
  addEventListener('hashchange', changed);
  return () => removeEventListener('hashchange', changed);
};

/** The address of the page. Back and forward of the browser work, and an address can be kept. */
export function useRoute(): Route {
  const hash = useSyncExternalStore(subscribe, () => location.hash);
  const [, view = '', rest = ''] = /^#\/([\w-]*)\/?(.*)$/.exec(hash) ?? [];
  return { view: view || 'overview', rest: decoded(rest) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

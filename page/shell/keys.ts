import { useEffect, useRef, useSyncExternalStore } from 'react';

/** One key of a view: what is pressed, what it does in words, and the doing. */
export interface Binding {
  readonly key: string;
  readonly says: string;
  run(): void;
}

let groups: readonly { readonly title: string; readonly bindings: () => readonly Binding[] }[] = [];
const listeners = new Set<() => void>();
const changed = () => {
  for (const listener of listeners) listener();
};

/** True while keys belong to a field, a terminal or an open dialog, and not to the page. */
function isBusy(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return true;
  if (document.querySelector('dialog[open]')) return true;
  const at = event.target as HTMLElement | null;
  return at?.closest('input, textarea, select, [contenteditable], .xterm') != null;
}

addEventListener('keydown', (event) => {
  if (event.defaultPrevented || isBusy(event)) return;
  // The newest group first: a view may give a key of the shell another meaning while it is open.
  for (const { bindings } of groups.toReversed()) {
    const found = bindings().find(({ key }) => key === event.key);
    if (!found) continue;
    event.preventDefault();
    return found.run();
  }
});

/** Keys that work while the component is on the page. The help overlay lists them under `title`. */
export function useKeys(title: string, bindings: readonly Binding[]): void {
  const newest = useRef(bindings);
  newest.current = bindings;
  useEffect(() => {
    const group = { title, bindings: () => newest.current };
    groups = [...groups, group];
    changed();
    return () => {
      groups = groups.filter((one) => one !== group);
      changed();
    };
  }, [title]);
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** All keys that work now, in groups. */
export const useKeyGroups = () => useSyncExternalStore(subscribe, () => groups);

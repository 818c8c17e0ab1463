import { type ComponentType, type LazyExoticComponent, lazy } from 'react';

export interface ViewProps {
  /** The rest of the address after the name of the view: `#/changes/12` gives `12`. */
  readonly rest: string;
}

interface PageView {
  readonly name: string;
  readonly title: string;
  readonly key: string;
  readonly component: LazyExoticComponent<ComponentType<ViewProps>>;
  load(): Promise<unknown>;
}

const view = (key: string, name: string, title: string, load: () => Promise<ComponentType<ViewProps>>): PageView => ({
  key,
  name,
  title,
  component: lazy(async () => ({ default: await load() })),
  load,
});

/** Every view of the page, in the order of its tabs. Each is a file of its own, loaded when it is first looked at, or soon. */
export const VIEWS: readonly PageView[] = [
  view('1', 'overview', 'Overview', async () => (await import('./views/overview.tsx')).Overview),
  view('2', 'board', 'Board', async () => (await import('./views/board.tsx')).Board),
  view('3', 'agents', 'Agents', async () => (await import('./views/agents.tsx')).Agents),
  view('4', 'changes', 'Changes', async () => (await import('./views/changes.tsx')).Changes),
  view('5', 'queue', 'Queue', async () => (await import('./views/queue.tsx')).Queue),
  view('6', 'messages', 'Messages', async () => (await import('./views/messages.tsx')).Messages),
  view('7', 'conflicts', 'Conflicts', async () => (await import('./views/conflicts.tsx')).Conflicts),
  view('8', 'timeline', 'Timeline', async () => (await import('./views/timeline.tsx')).Timeline),
  view('9', 'cost', 'Cost', async () => (await import('./views/cost.tsx')).Cost),
  view('0', 'log', 'Log', async () => (await import('./views/log.tsx')).Log),
];

/**
 * Loads all of them, now that the daemon of this page has just answered. Later its port may be another program's, or that of a newer version
 * which has other files, and neither is to be asked for a part of this page.
 */
export function loadViews(): void {
  for (const load of [...VIEWS.map((one) => one.load), () => import('./parts/terminal.tsx')]) load().catch(() => {});
}

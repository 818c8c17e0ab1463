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
}

const view = (key: string, name: string, title: string, load: () => Promise<ComponentType<ViewProps>>): PageView => ({
  key,
  name,
  title,
  component: lazy(async () => ({ default: await load() })),
});

/** Every view of the page, in the order of its tabs. Each is a file of its own, loaded when it is first looked at. */
export const VIEWS: readonly PageView[] = [
  view('1', 'overview', 'Overview', async () => (await import('./views/overview.tsx')).Overview),
  view('2', 'board', 'Board', async () => (await import('./views/board.tsx')).Board),
  view('3', 'agents', 'Agents', async () => (await import('./views/agents.tsx')).Agents),
];

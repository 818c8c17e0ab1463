import { type ComponentType, lazy } from 'react';
import type { ViewProps } from './shell/route.ts';

interface PageView {
  readonly name: string;
  readonly title: string;
  readonly key: string;
  /** The view itself once its file is there; until then one that waits for it. */
  readonly component: ComponentType<ViewProps>;
  load(): Promise<unknown>;
}

/** One that waits is shown 300 ms late by React, so that a page does not flicker, also when its file came long ago. */
function view(key: string, name: string, title: string, load: () => Promise<ComponentType<ViewProps>>): PageView {
  let loaded: ComponentType<ViewProps> | undefined;
  const once = async () => (loaded ??= await load());
  const Waiting = lazy(async () => ({ default: await once() }));
  return {
    key,
    name,
    title,
    get component() {
      return loaded ?? Waiting;
    },
    load: once,
  };
}

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
  for (const load of [...VIEWS.map((one) => one.load), () => import('./parts/terminal.tsx'), () => import('../src/tell/face/syntax.ts')])
    load().catch(() => {});
}

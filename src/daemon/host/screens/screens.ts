import { watch } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { FurrowError } from '../../../platform/error.ts';
import type { PaneCells } from '../../../platform/tmux/pane-cells.ts';
import type { Tmux, WindowSize } from '../../../platform/tmux/tmux.ts';
import { Film } from './capture.ts';
import { type Viewing, Watcher } from './watcher.ts';

export type { ScreenItem } from './watcher.ts';

interface PaneAt {
  readonly pane: string;
  readonly window: string;
  readonly tmux: Tmux;
}

interface ScreenSource {
  /** The pane of an agent's window. */
  find(agent: string): Promise<PaneAt | undefined>;
  /** Calls back whenever the agent's program may have printed something, until the function that it answers is called. */
  onPrinted(agent: string, listener: () => void): () => void;
}

/** Live screens of agents. With nobody who looks nothing is asked for. */
export interface Screens {
  /** Shows an agent's screen until its window is gone or the signal ends. */
  watch(agent: string, viewing: Viewing, signal: AbortSignal): Promise<void>;
  type(agent: string, text: string): Promise<void>;
  /** The reason why it keeps its size, or `undefined`. */
  resize(agent: string, cols: number, rows: number): Promise<string | undefined>;
}

/** Those who look at the screen of one agent. */
interface Showing {
  readonly film: Film;
  readonly gone: PromiseWithResolvers<void>;
  /** Found again when it is not there any more: a new server has new panes. */
  place: PaneAt;
  /** The size that the window had before somebody wanted another. */
  before: WindowSize | undefined;
  lookedAt: number;
}

/** The time between two looks at a window in the size of a page, which give it back to a person who came to it. */
const LOOK_MS = 1000;

export function screensOf(source: ScreenSource): Screens {
  const showing = new Map<string, Showing>();
  const at = async (agent: string) => {
    const found = await source.find(agent);
    if (!found) throw new FurrowError('NO_WINDOW', `${agent} has no window now`, { hint: 'furrow status' });
    return found;
  };
  const open = (agent: string, place: PaneAt): Showing => {
    const gone = Promise.withResolvers<void>();
    const film = new Film(
      (lines) => cellsOf(shown, () => source.find(agent), lines),
      () => gone.resolve(),
    );
    const shown: Showing = { film, gone, place, before: undefined, lookedAt: 0 };
    showing.set(agent, shown);
    void gone.promise.then(source.onPrinted(agent, () => film.wake()));
    return shown;
  };
  const close = async (agent: string, { film, gone, place, before }: Showing) => {
    film.end();
    gone.resolve();
    showing.delete(agent);
    if (before) await place.tmux.unsize(place.window, before).catch(() => {});
  };
  return {
    async watch(agent, viewing, signal) {
      const place = await at(agent);
      const shown = showing.get(agent) ?? open(agent, place);
      const watcher = new Watcher(viewing);
      shown.film.add(watcher);
      await Promise.race([shown.gone.promise, aborted(signal)]);
      shown.film.watchers.delete(watcher);
      if (shown.film.watchers.size === 0 && showing.get(agent) === shown) await close(agent, shown);
    },

    async type(agent, text) {
      const { tmux, window, pane } = await at(agent);
      await tmux.type(window, pane, text);
      showing.get(agent)?.film.wake();
    },

    async resize(agent, cols, rows) {
      const { tmux, window, pane } = await at(agent);
      const shown = showing.get(agent);
      if (!shown) return `nobody looks at the screen of ${agent}`;
      if (await isShown(tmux, window)) return `a person's own terminal shows the window of ${agent}, and decides its size`;
      const before = await tmux.resize(window, pane, cols, rows);
      shown.before ??= before;
      shown.film.wake();
      return undefined;
    },
  };
}

const isShown = async (tmux: Tmux, window: string) => (await tmux.viewers()).some((viewer) => viewer.window === window);

/** A connection to the server that ended is made again within a moment, if the server lives. */
const [TRIES, TRY_MS] = [15, 200];

/** A server that is only slow is asked again, and a pane that is not there is looked for: after a new connection, or in a new server. */
async function cellsOf(shown: Showing, find: () => Promise<PaneAt | undefined>, lines: number): Promise<PaneCells | undefined> {
  for (let tries = 0; tries < TRIES && shown.film.watchers.size > 0; tries++)
    try {
      await giveBack(shown);
      return await shown.place.tmux.cells(shown.place.pane, lines);
    } catch (error) {
      if (!(error instanceof FurrowError)) throw error;
      if (error.code === 'TMUX_SILENT') continue;
      const found = await find().catch(() => undefined);
      if (found && found.pane !== shown.place.pane) shown.place = found;
      else if (error.code !== 'TMUX_GONE') return undefined;
      else if (found && found.tmux !== shown.place.tmux) shown.place = found;
      else await pause(TRY_MS);
    }
  return undefined;
}

/** A person who comes to a window gets it in the size of their own terminal. */
async function giveBack(shown: Showing): Promise<void> {
  const { tmux, window } = shown.place;
  if (!shown.before || performance.now() < shown.lookedAt + LOOK_MS) return;
  shown.lookedAt = performance.now();
  if (!(await isShown(tmux, window))) return;
  shown.before = undefined;
  await tmux.unsize(window);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Calls back whenever a log in this folder grows: what a program draws goes there at once. Without watches left, never. */
export function onGrowth(folder: string, listener: () => void): () => void {
  try {
    const watcher = watch(folder, { persistent: false }, listener);
    watcher.on('error', () => {});
    return () => watcher.close();
  } catch {
    return () => {};
  }
}

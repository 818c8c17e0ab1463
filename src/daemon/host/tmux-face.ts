import type { Places } from '../../platform/places.ts';
import type { People } from '../../platform/tmux/people.ts';
import type { Tmux } from '../../platform/tmux/tmux.ts';
import { type Badge, badged } from '../../platform/tmux/window-options.ts';
import { type HomeWindow, homeWindow } from './home-window.ts';
import type { Terminals } from './terminals.ts';

/** The farm as its tmux shows it. */
export interface ShownInTmux {
  readonly status: string;
  readonly badges: ReadonlyMap<string, Badge>;
  /** The task of each agent; one without a task is not in it. */
  readonly tasks: ReadonlyMap<string, string>;
  /** The agent that needs a person most. */
  readonly next: string | null;
  /** The screen of the home window; `undefined`: nobody sees it. */
  readonly frame: string | undefined;
}

export interface TmuxFace {
  /** The people who look; `undefined`: nobody, so nothing needs to be shown. Asked of tmux only after something changed there. */
  people(): Promise<People | undefined>;
  /** Sets what differs from what was set before. `false`: the home window could not be drawn, and should be tried again. */
  show(shown: ShownInTmux): Promise<boolean>;
  /** Rings in every terminal that shows the farm. */
  ring(): void;
  close(): void;
}

const BELL = '\x07';

/** The words that one connection to the server has been told; a new one begins with nothing. */
interface Told {
  readonly tmux: Tmux;
  status?: string;
  badges?: string;
  /** The task that stands above each window. */
  readonly tasks: Map<string, string>;
  frame?: string;
  /** The home window was begun anew: once is enough. */
  renewed?: true;
}

export function tmuxFace(terminals: Terminals, places: Places): TmuxFace {
  const home = homeWindow(places);
  let told: Told | undefined;
  let people: People | undefined;
  let dirty = true;
  terminals.onChange(() => {
    dirty = true;
  });

  const connection = async (): Promise<Told | undefined> => {
    const tmux = await terminals.running();
    if (told?.tmux !== tmux) {
      told = tmux && { tmux, tasks: new Map() };
      dirty = true;
    }
    return told;
  };

  return {
    async people() {
      const at = await connection();
      if (!at) return undefined;
      if (dirty) {
        dirty = false;
        delete at.badges;
        const now = await at.tmux.people();
        // tmux itself keeps the screen for whoever comes, but not for another size.
        if (now.columns !== people?.columns || now.rows !== people.rows) delete at.frame;
        people = now;
      }
      return people && people.clients.length > 0 ? people : undefined;
    },

    async show({ status, badges, tasks, next, frame }) {
      const at = await connection();
      if (!at) return true;
      if (at.status !== status) await at.tmux.setStatus(status);
      at.status = status;
      await showAgents(at, { badges, tasks, next });
      return frame === undefined || draw(at, home, frame);
    },

    ring: () => void home.write(BELL),
    close: () => home.close(),
  };
}

/** The names of windows, what stands above them, and where the key for "who needs me" leads. */
async function showAgents(at: Told, { badges, tasks, next }: Pick<ShownInTmux, 'badges' | 'tasks' | 'next'>): Promise<void> {
  const wanted = JSON.stringify([[...badges], [...tasks], next]);
  if (at.badges === wanted) return;
  const panes = await at.tmux.panes();
  const windows = new Map(panes.map((pane) => [pane.window, pane]));
  for (const pane of windows.values()) {
    const badge = badges.get(pane.name) ?? 'well';
    if (pane.shown !== badged(pane.name, badge)) await at.tmux.badge(pane, badge);
    const task = tasks.get(pane.name) ?? '';
    if (task !== (at.tasks.get(pane.window) ?? '')) await at.tmux.setTask(pane.window, task);
    at.tasks.set(pane.window, task);
  }
  await at.tmux.setNext(next === null ? undefined : panes.find((pane) => pane.name === next)?.window);
  at.badges = wanted;
}

async function draw(at: Told, home: HomeWindow, frame: string): Promise<boolean> {
  if (at.frame === frame) return true;
  if (home.write(frame)) {
    at.frame = frame;
    return true;
  }
  delete at.frame;
  // Its pipe was removed, the window was closed, or it is that of an earlier furrow.
  if (!at.renewed) {
    at.renewed = true;
    await at.tmux.renewHome();
  }
  return false;
}

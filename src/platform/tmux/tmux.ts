import { clean } from '../strip-controls.ts';
import { type Change, type ControlClient, controlClient, TmuxRefusal } from './client.ts';
import { CONFIG, DEATH_SUBSCRIPTION, deathHook } from './config.ts';
import { ensureHome, listPanes, renewHome } from './home.ts';
import { logCommand, type PaneLog } from './log.ts';
import { cellCommands, type PaneCells, readCells } from './pane-cells.ts';
import type { PaneInfo } from './panes.ts';
import { type People, peopleAt } from './people.ts';
import { command, paneArgv } from './quote.ts';
import { awaitExit, checkId, checkName, ensureServer, serverEnv, signal, type TmuxPlace } from './server.ts';
import { type Typing, trimLines, typing } from './type.ts';
import { AGENT_OPTION, type Badge, badged, NEXT_OPTION, TASK_OPTION } from './window-options.ts';

export type { PaneInfo } from './panes.ts';
export type { TmuxPlace } from './server.ts';

/**
 * A farm's tmux server. Windows and panes are named only by `@n` and `%n`, which are unique for the life of one server: store `server` with
 * them.
 *
 * - A server that does not answer within 10 s is `TMUX_SILENT`; that alone is no reason to restart anything.
 * - A connection that ended is `TMUX_GONE`; `openTmux` again finds the server, or starts one.
 * - A command that tmux refuses is `TMUX_REFUSED`.
 */
export interface Tmux extends Typing {
  readonly server: { readonly pid: number; readonly startedAt: number };
  /**
   * Opens one window with two panes, the agent's above and the supervisor's below (which keeps some lines even in a small terminal): both
   * or neither. It does not take the focus.
   */
  openWindow(name: string, agent: readonly string[], supervisor: readonly string[]): Promise<OpenedWindow>;
  /**
   * Starts a command in a pane, and its log at the same time, so that no byte is missed. A program still in the pane only loses its
   * terminal (SIGHUP): the caller must end it. Resolves with the new pid.
   */
  respawn(pane: string, argv: readonly string[], log?: PaneLog): Promise<number>;
  /** Closes a window; it is no error if it is gone. */
  closeWindow(window: string): Promise<void>;
  /** Every pane but the home window's, in the order of the windows, the agent's pane first. */
  panes(): Promise<PaneInfo[]>;
  /** The last lines of a pane, as plain text. */
  capture(pane: string, lines: number): Promise<string>;
  /** The whole screen of a pane as cells with colours, and so many lines above it. */
  cells(pane: string, lines: number): Promise<PaneCells>;
  /** Gives an agent's pane this size, and its window as much more as the other pane needs. Resolves with the window's former size. */
  resize(window: string, pane: string, cols: number, rows: number): Promise<WindowSize>;
  /** Lets the window have the size of its viewers again; with `before` it keeps that size until somebody looks at it. */
  unsize(window: string, before?: WindowSize): Promise<void>;
  /** Static text for the left of the status line. */
  setStatus(left: string): Promise<void>;
  /** Shows an agent's state in the list of windows. */
  badge(pane: Pick<PaneInfo, 'window' | 'name'>, badge: Badge): Promise<void>;
  /** Shows what an agent works on, above its pane and in the list of windows; empty: nothing. */
  setTask(window: string, text: string): Promise<void>;
  /** Sets the window that the key for "who needs me" leads to; `undefined`: nobody needs a person. */
  setNext(window: string | undefined): Promise<void>;
  /** The terminals of people who look at the farm. */
  people(): Promise<People>;
  /** Restarts the command of the home window. */
  renewHome(): Promise<void>;
  /** Called when there may be news: a window, a pane or a layout changed, or a program ended. */
  onChange(listener: (change: Change) => void): void;
  /** Called when the connection ended: the server died, or detached us. */
  onGone(listener: (reason: string) => void): void;
  /** Detaches; the server lives on. */
  close(): Promise<void>;
  killServer(): Promise<void>;
}

export interface WindowSize {
  readonly cols: number;
  readonly rows: number;
}

interface OpenedWindow {
  readonly window: string;
  readonly pane: string;
  readonly pid: number;
  readonly supervisorPane: string;
}

const TIMEOUT_MS = 10_000;

/** Connects to the server of this place, and starts it if there is none. */
export async function openTmux(place: TmuxPlace, options: { timeoutMs?: number } = {}): Promise<Tmux> {
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  await ensureServer(place, timeoutMs);
  const attach = ['-C', 'attach-session', '-t', `=${place.session}`, '-f', 'no-output,ignore-size'];
  const client = controlClient(['tmux', '-S', place.socket, ...attach], serverEnv(place), timeoutMs);
  try {
    await client.attached();
    const [found = ''] = await client.request(command('display-message', '-p', '#{pid} #{start_time}'));
    const [pid = 0, startedAt = 0] = found.split(' ').map(Number);
    await client.request(CONFIG.join(' ; '));
    await dropOrphans(client);
    await client.request(deathHook(await ensureHome(client)));
    await client.request(DEATH_SUBSCRIPTION);
    return connected(place, client, { pid, startedAt }, timeoutMs);
  } catch (error) {
    await client.close();
    throw error;
  }
}

/**
 * Ends control clients of a daemon that was killed. With pending output tmux never drops such a client (6 of 6), and while one is attached
 * the server cannot exit. The server lists the client, so its socket is open and the pid is right; nobody else attaches with this pair of
 * flags.
 */
async function dropOrphans(client: ControlClient): Promise<void> {
  const listed = await client.request(command('list-clients', '-F', '#{client_pid} #{client_flags}'));
  for (const line of listed) {
    const [pid = '', flags = ''] = line.split(' ');
    const ours = ['control-mode', 'no-output', 'ignore-size'].every((flag) => flags.split(',').includes(flag));
    if (ours && Number(pid) !== client.pid) signal(Number(pid), 'SIGTERM');
  }
}

function connected(place: TmuxPlace, client: ControlClient, server: Tmux['server'], timeoutMs: number): Tmux {
  return {
    ...typing(place, client, timeoutMs),
    server,
    onChange: (listener) => client.onChange(listener),
    onGone: (listener) => client.onGone(listener),
    close: () => client.close(),

    openWindow: (name, agent, supervisor) => openWindow(client, name, agent, supervisor),

    async respawn(pane, argv, log) {
      const start = `${command('respawn-pane', '-k', '-t', checkId('%', pane))} ${paneArgv(argv)}`;
      // Without a command `pipe-pane` ends the log of the pane's last program.
      const pipe = log ? await logCommand(place.dir, pane, log) : command('pipe-pane', '-t', pane);
      const [pid] = await client.request(`${start} ; ${pipe} ; ${command('display-message', '-p', '-t', pane, '#{pane_pid}')}`);
      return Number(pid);
    },

    async closeWindow(window) {
      await client.request(command('kill-window', '-t', checkId('@', window))).catch((error: unknown) => {
        if (!(error instanceof TmuxRefusal && error.message.includes("can't find window"))) throw error;
      });
    },

    cells: async (pane, lines) => readCells(await client.request(cellCommands(pane, lines)), lines),
    resize: (window, pane, cols, rows) => resize(client, window, pane, { cols, rows }),
    async unsize(window, before) {
      const id = checkId('@', window);
      const back = before ? `${command('resize-window', '-t', id, '-x', String(before.cols), '-y', String(before.rows))} ; ` : '';
      await client.request(`${back}${command('set-option', '-w', '-u', '-t', id, 'window-size')}`).catch(ignoreRefusal);
    },

    panes: () => agentPanes(client, server.pid),
    capture: (pane, lines) => capture(client, pane, lines),

    async setStatus(left) {
      // `%` and `#` are doubled: tmux expands the status line once as a date and once as a format.
      const text = clean(left).replace(/\s+/g, ' ').replace(/[#%]/g, '$&$&');
      await client.request(command('set-option', '-g', 'status-left', ` ${text} `));
    },

    async badge({ window, name }, badge) {
      await client.request(command('rename-window', '-t', checkId('@', window), badged(checkName(name), badge)));
    },

    async setTask(window, text) {
      // Only `#` is doubled: tmux puts an option's text in after it has expanded dates and formats, and then reads styles in it.
      const shown = clean(text).replace(/\s+/g, ' ').replace(/#/g, '$&$&');
      await client.request(command('set-option', '-w', '-t', checkId('@', window), TASK_OPTION, shown)).catch(ignoreRefusal);
    },

    async setNext(window) {
      await client.request(command('set-option', '-s', NEXT_OPTION, window === undefined ? '' : checkId('@', window)));
    },

    people: () => peopleAt(client),

    async renewHome() {
      await client.request(deathHook(await renewHome(client)));
    },

    async killServer() {
      await client.close('kill-server');
      await awaitExit(place, server.pid);
    },
  };
}

const OPENED = '#{window_id} #{pane_id} #{pane_pid}';

/** All on one line, so that nothing comes between: the window becomes the last one, and `{end}` then means it. */
async function openWindow(
  client: ControlClient,
  name: string,
  agent: readonly string[],
  supervisor: readonly string[],
): Promise<OpenedWindow> {
  const open = command('new-window', '-d', '-a', '-t', '{end}', '-P', '-F', OPENED, '-n', checkName(name));
  const split = command('split-window', '-d', '-v', '-l', '18', '-t', ':{end}', '-P', '-F', '#{pane_id}');
  const own = command('set-option', '-w', '-t', ':{end}', AGENT_OPTION, name);
  const [opened = '', supervisorPane = ''] = await client.request(`${open} ${paneArgv(agent)} ; ${own} ; ${split} ${paneArgv(supervisor)}`);
  const [window = '', pane = '', pid] = opened.split(' ');
  return { window, pane, pid: Number(pid), supervisorPane };
}

/** Sizes a window: its height is that of its panes and a line above each. The other pane keeps its height, up to half of the agent's. */
async function resize(client: ControlClient, window: string, pane: string, { cols, rows }: WindowSize): Promise<WindowSize> {
  const [at, agent] = [checkId('@', window), checkId('%', pane)];
  const listed = await client.request(command('list-panes', '-t', at, '-F', '#{pane_id} #{pane_height} #{window_width} #{window_height}'));
  const panes = listed.map((line) => line.split(' '));
  const others = panes.filter(([id]) => id !== pane);
  const most = Math.max(1, Math.floor(rows / 2));
  const below = others.reduce((sum, [, height]) => sum + Math.min(Number(height), most), 0);
  const whole = rows + below + others.length + 1;
  await client.request(
    `${command('resize-window', '-t', at, '-x', String(cols), '-y', String(whole))} ; ${command('resize-pane', '-t', agent, '-y', String(rows))}`,
  );
  return { cols: Number(panes[0]?.[2]), rows: Number(panes[0]?.[3]) };
}

/** Ignores a refusal: the window is gone. */
function ignoreRefusal(error: unknown): void {
  if (!(error instanceof TmuxRefusal)) throw error;
}

async function agentPanes(client: ControlClient, serverPid: number): Promise<PaneInfo[]> {
  let listed = await listPanes(client);
  if (listed.some((pane) => pane.dead && pane.status === undefined && pane.signal === undefined)) {
    // A child that tmux missed (see `deathHook`) is reaped on the next SIGCHLD; then the hook reports it too.
    signal(serverPid, 'SIGCHLD');
    listed = await listPanes(client);
  }
  return listed.filter((pane) => !pane.home).map(({ home: _home, ...pane }) => pane);
}

async function capture(client: ControlClient, pane: string, lines: number): Promise<string> {
  const text = await client.request(command('capture-pane', '-p', '-J', '-t', checkId('%', pane), '-S', `-${Math.floor(lines)}`));
  const plain = clean(Buffer.from(text.join('\n'), 'latin1').toString('utf8'));
  return trimLines(plain).split('\n').slice(-lines).join('\n');
}

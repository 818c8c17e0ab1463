import { existsSync } from 'node:fs';
import { mkdir, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { typedIn } from '../../agents/message/pane.ts';
import { socketPath } from '../../api/place.ts';
import { FurrowError } from '../../platform/error.ts';
import { limiter } from '../../platform/limit.ts';
import type { Places } from '../../platform/places.ts';
import { identify, isAlive } from '../../platform/process/identity.ts';
import { killTree } from '../../platform/process/kill.ts';
import { shellQuote } from '../../platform/shell.ts';
import { POPUP_SCRIPT } from '../../platform/tmux/keys.ts';
import { serversAt, signal } from '../../platform/tmux/server.ts';
import { openTmux, type PaneInfo, type Tmux } from '../../platform/tmux/tmux.ts';

/** The socket of the terminals of a repository. */
export const tmuxSocket = (root: string) => join(socketPath(root), '..', 'tmux.sock');

interface AgentWindow {
  readonly window: string;
  readonly pane: string;
}

/** The windows of 20 agents that start make 34 notes of what we opened ourselves; each that came alone would cost a look at the whole farm. */
const OPENED_MS = 100;

/**
 * The farm's tmux server, opened with the first agent and opened again when somebody kills it. Windows are found by
 * what the server says now, never by remembered ids: a new server counts its ids from the start.
 */
export interface Terminals {
  readonly socket: string;
  readonly session: string;
  /** Connects to a server that an earlier daemon left running; starts none. */
  attach(): Promise<void>;
  windowOf(agent: string): Promise<AgentWindow>;
  start(agent: string, argv: readonly string[], log: { file: string; maxBytes: number }): Promise<number>;
  close(agent: string): Promise<void>;
  /** Panes of the running server; `undefined` when none was opened or it does not answer. */
  panes(): Promise<readonly PaneInfo[] | undefined>;
  /** The pane an agent runs in, and the hand that types there; `undefined` when it has none. */
  at(agent: string): Promise<{ pane: string; title: string; window: string; tmux: Tmux } | undefined>;
  /** The pane of an agent's window, whether or not anything runs in it. */
  paneOf(agent: string): Promise<{ pane: string; window: string; tmux: Tmux } | undefined>;
  /** The content of the agent's pane, and the time when a person last typed in its window. */
  look(agent: string): Promise<{ text: string; title: string; typedAt: number | null } | undefined>;
  /** The server that runs; starts none. */
  running(): Promise<Tmux | undefined>;
  /** Something changed in the terminals, a person came or left. */
  onChange(listener: () => void): void;
  /** Has the server make its socket again after somebody removed it. */
  again(): Promise<void>;
  detach(): Promise<void>;
  /** Ends the server with all of its windows; none is opened any more. */
  end(): Promise<void>;
  /** Ends what an earlier daemon left, before this one opens its own. */
  endEarlier(): Promise<void>;
  /** Ends the server of a farm whose folders are gone: nothing is opened or written for that. */
  kill(): Promise<void>;
}

export function terminals(
  places: Places,
  id: string,
  socket: string,
  env: Readonly<Record<string, string>>,
  onChange: (lost: boolean) => void,
): Terminals {
  const session = `furrow-${id}`;
  const opening = new Map<string, Promise<AgentWindow>>();
  // One after the other, so that windows stand in the order of the agents.
  const inTurn = limiter(1);
  let server: Promise<Tmux> | undefined;
  /** A window that waited for its turn would otherwise open a server that nobody ends. */
  let ended = false;
  const listeners: (() => void)[] = [];
  let later: NodeJS.Timeout | undefined;
  const changed = (lost: boolean) => {
    clearTimeout(later);
    later = undefined;
    for (const listener of listeners) listener();
    onChange(lost);
  };

  const reach = (): Promise<Tmux> => {
    server ??= openTmux({ socket, dir: places.dir, session, env }).then(
      async (opened) => {
        await writeFile(join(places.run, 'popup.sh'), POPUP_SCRIPT, { mode: 0o600 });
        const self = identify(opened.server.pid);
        opened.onChange((change) => {
          if (change === 'other') changed(false);
          else later ??= setTimeout(changed, OPENED_MS, false).unref();
        });
        opened.onGone(() => {
          server = undefined;
          // Only our own client may have ended; then the windows are all still there.
          changed(!self || !isAlive(self));
          if (self && isAlive(self)) void tmux().catch(() => {});
        });
        return opened;
      },
      (error: unknown) => {
        server = undefined;
        throw error;
      },
    );
    return server;
  };
  const tmux = async (): Promise<Tmux> => {
    if (ended) throw new FurrowError('TMUX_GONE', 'the terminals of this farm have ended');
    return reach();
  };

  const open = async (agent: string): Promise<AgentWindow> => {
    const now = await tmux();
    const found = (await now.panes()).find((pane) => pane.name === agent && !pane.command.includes('.view.sh'));
    if (found) return { window: found.window, pane: found.pane };
    await writeView(places, agent);
    return now.openWindow(agent, ['sh', 'run/idle.sh'], ['sh', `run/${agent}.view.sh`]);
  };

  return {
    socket,
    session,
    async attach() {
      if (await socketAnswers(socket)) await tmux();
    },
    windowOf(agent) {
      const known = opening.get(agent);
      if (known) return known;
      const made = inTurn(() => open(agent)).finally(() => opening.delete(agent));
      opening.set(agent, made);
      return made;
    },
    async start(agent, argv, log) {
      const { pane } = await this.windowOf(agent);
      return (await tmux()).respawn(pane, argv, log);
    },
    async close(agent) {
      if (!server) return;
      const now = await server;
      for (const pane of await now.panes()) if (pane.name === agent) await now.closeWindow(pane.window);
    },
    async panes() {
      if (!server) return undefined;
      return (await server).panes().catch((error: unknown) => {
        if (error instanceof FurrowError && error.code === 'TMUX_GONE') return undefined;
        throw error;
      });
    },
    async at(agent) {
      if (!server) return undefined;
      const now = await server;
      const found = (await now.panes()).find((pane) => pane.name === agent && !pane.command.includes('.view.sh') && !pane.dead);
      return found && { pane: found.pane, title: found.title, window: found.window, tmux: now };
    },
    async paneOf(agent) {
      const now = await server;
      const found = (await now?.panes())?.find((pane) => pane.name === agent && !pane.command.includes('.view.sh'));
      return now && found && { pane: found.pane, window: found.window, tmux: now };
    },
    async look(agent) {
      const at = await this.at(agent);
      if (!at) return undefined;
      const typedAt = typedIn(await at.tmux.clients(), at.window);
      return { text: await at.tmux.screen(at.pane), title: at.title, typedAt };
    },
    running: async () => server?.catch(() => undefined),
    onChange(listener) {
      listeners.push(listener);
    },
    async again() {
      const opened = await server?.catch(() => undefined);
      if (opened && !existsSync(socket)) signal(opened.server.pid, 'SIGUSR1');
    },
    async detach() {
      if (server) await (await server).close();
    },
    async end() {
      const last = this.endEarlier();
      ended = true;
      await last;
    },
    async endEarlier() {
      const last = server ?? ((await socketAnswers(socket)) ? reach() : undefined);
      await (await last)?.killServer();
      server = undefined;
      // One whose socket somebody removed cannot be asked; it ends with all that runs in it.
      for (const root of serversAt(socket)) await killTree({ root, marker: `${id}.tmux` }, 0);
      await unlink(socket).catch(() => {});
    },
    async kill() {
      ended = true;
      await (await server?.catch(() => undefined))?.killServer().catch(() => {});
      server = undefined;
      for (const root of serversAt(socket, session)) await killTree({ root, marker: `${id}.tmux` }, 0);
    },
  };
}

async function socketAnswers(socket: string): Promise<boolean> {
  const { connect } = await import('node:net');
  return new Promise((done) => {
    const probe = connect(socket);
    probe.once('connect', () => {
      probe.destroy();
      done(true);
    });
    probe.once('error', () => done(false));
  });
}

/**
 * The supervisor pane: what furrow sees and does for this agent. It reads a named pipe opened for reading and writing,
 * so it needs no polling, none of the 128 inotify instances a user has, and it outlives the daemon.
 */
async function writeView(places: Places, agent: string): Promise<void> {
  const pipe = join(places.run, `${agent}.pipe`);
  const log = join(places.logs, agent, 'furrow.log');
  await mkdir(join(places.logs, agent), { recursive: true, mode: 0o700 });
  await writeFile(join(places.run, 'idle.sh'), "printf 'waiting for a task\\n'\n", { mode: 0o600 });
  await writeFile(
    join(places.run, `${agent}.view.sh`),
    `[ -p ${shellQuote(pipe)} ] || mkfifo -m 600 ${shellQuote(pipe)}\n[ ! -s ${shellQuote(log)} ] || tail -n 50 ${shellQuote(log)} 2>/dev/null\nexec cat 0<> ${shellQuote(pipe)}\n`,
    { mode: 0o600 },
  );
}

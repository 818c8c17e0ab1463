import type { ControlClient } from './client.ts';
import { type ListedPane, PANES_FORMAT, readPane } from './panes.ts';
import { command, paneArgv } from './quote.ts';
import { HOME_OPTION } from './window-options.ts';

/** The pipe that the home window shows, below the server's folder. The daemon writes its picture of the farm there. */
export const HOME_PIPE = 'run/home.pipe';

const WELCOME = [
  '',
  '  This is a farm of furrow. Its daemon draws it here while it runs.',
  '',
  '    Ctrl-b n, Ctrl-b p   the next and the previous window; each agent has one',
  '    Ctrl-b w             all windows, to choose from',
  '    Ctrl-b d             leave; the agents work on',
  '',
  '  In another terminal: furrow status, furrow next, furrow log -f',
];

/**
 * The command of the window that keeps the session alive. It shows what is written into a pipe; without a daemon it says how to reach the
 * agents. It cannot end: no key reaches it, a dying daemon only closes the pipe, and without a pipe it waits for ever. It uses no CPU.
 */
const SCRIPT = [
  "trap '' INT QUIT TSTP",
  'stty -echo 2>/dev/null',
  `say() { printf '\\033[H\\033[2J'; printf '%s\\n' ${WELCOME.map((line) => `'${line}'`).join(' ')}; }`,
  'say',
  '[ -p "$0" ] || mkfifo -m 600 "$0" 2>/dev/null',
  'while [ -p "$0" ] && cat "$0"; do say; done',
  'exec tail -f /dev/null',
].join('\n');

export const HOME = ['sh', '-c', SCRIPT, HOME_PIPE] as const;

export async function listPanes(client: ControlClient): Promise<ListedPane[]> {
  return (await client.request(command('list-panes', '-s', '-F', PANES_FORMAT))).map(readPane);
}

/** The home window, made again if somebody closed it. */
export async function ensureHome(client: ControlClient): Promise<string> {
  const home = (await listPanes(client)).find((pane) => pane.home);
  if (home) return home.window;
  const create = command('new-window', '-d', '-P', '-F', '#{window_id}', '-n', 'furrow');
  const [window = ''] = await client.request(`${create} ${paneArgv(HOME)}`);
  await client.request(command('set-option', '-w', '-t', window, HOME_OPTION, '1'));
  return window;
}

/** Restarts the command of the home window, and makes the window if it is gone. Answers its id. */
export async function renewHome(client: ControlClient): Promise<string> {
  const home = (await listPanes(client)).find((pane) => pane.home);
  if (!home) return ensureHome(client);
  await client.request(`${command('respawn-pane', '-k', '-t', home.pane)} ${paneArgv(HOME)}`);
  return home.window;
}

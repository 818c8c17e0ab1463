import { clean } from '../strip-controls.ts';
import type { ControlClient } from './client.ts';
import { command } from './quote.ts';
import { HOME_OPTION, NESTED_PREFIX } from './window-options.ts';

/** A person's terminal that shows the farm. */
export interface Person {
  /** `/dev/pts/3` */
  readonly tty: string;
  /** The terminal's `TERM`, and its own description if it gives one. */
  readonly termname: string;
  readonly termtype: string;
  /** It shows the home window. */
  readonly atHome: boolean;
}

export interface People {
  readonly clients: readonly Person[];
  /** The size of the home window. */
  readonly columns: number;
  readonly rows: number;
  /** The prefix for people who run a tmux of their own; empty: not set. */
  readonly nestedPrefix: string;
}

// The terminal's own description comes last: it may contain anything.
const CLIENT = ['client_flags', HOME_OPTION, 'client_tty', 'client_termname', 'client_termtype'].map((name) => `#{${name}}`).join('|');

/** The terminals that show the farm, in one request, without our own client. */
export async function peopleAt(client: ControlClient): Promise<People> {
  const room = command('list-panes', '-s', '-f', `#{${HOME_OPTION}}`, '-F', `room|#{pane_width}|#{pane_height}|#{${NESTED_PREFIX}}`);
  const lines = await client.request(`${command('list-clients', '-F', CLIENT)} ; ${room}`);
  const home = lines.find((line) => line.startsWith('room|'))?.split('|') ?? [];
  const [, columns = '80', rows = '24', nestedPrefix = ''] = home;
  const clients = lines
    .filter((line) => !line.startsWith('room|'))
    .map((line) => line.split('|'))
    .filter(([flags = '']) => !flags.split(',').includes('control-mode'))
    .map(([, home, tty = '', termname = '', ...termtype]) => ({
      tty: clean(tty),
      termname: clean(termname),
      termtype: clean(termtype.join('|')),
      atHome: home === '1',
    }));
  return { clients, columns: Number(columns), rows: Number(rows), nestedPrefix: clean(nestedPrefix) };
}

import { clean } from '../clean.ts';
import type { ControlClient } from './client.ts';
import { command } from './quote.ts';
import { HOME_OPTION, NESTED_PREFIX } from './window-options.ts';

/** A person's terminal that shows the farm. */
export interface Person {
  /** `/dev/pts/3` */
  readonly tty: string;
  /** The terminal by its `TERM`, and by what it says of itself, if it does. */
  readonly termname: string;
  readonly termtype: string;
  /** Shows the home window. */
  readonly atHome: boolean;
}

export interface People {
  readonly clients: readonly Person[];
  /** The room of the home window. */
  readonly columns: number;
  readonly rows: number;
  /** The prefix for people in a tmux of their own; empty: nobody said. */
  readonly nestedPrefix: string;
}

// What a terminal says of itself comes last: it is text of somebody else.
const CLIENT = ['client_flags', HOME_OPTION, 'client_tty', 'client_termname', 'client_termtype'].map((name) => `#{${name}}`).join('|');

/** The terminals that show the farm, in one request. Our own client is not among them. */
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

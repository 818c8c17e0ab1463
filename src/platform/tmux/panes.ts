import { clean } from '../strip-controls.ts';
import { withoutPrefix } from './quote.ts';
import { AGENT_OPTION, HOME_OPTION } from './window-options.ts';

/**
 * One pane. `dead` with neither `status` nor `signal` means that its terminal was closed: the process ended in an unknown way, or lives on
 * without a terminal.
 */
export interface PaneInfo {
  /** `@n` */
  readonly window: string;
  /** `%n` */
  readonly pane: string;
  readonly pid: number;
  readonly dead: boolean;
  readonly status: number | undefined;
  readonly signal: number | undefined;
  /** The agent whose window it is. */
  readonly name: string;
  /** The window's name: that of the agent, and a badge. */
  readonly shown: string;
  readonly command: string;
  readonly title: string;
}

// Texts come last, each after its length in bytes: the program sets its title, which may contain anything.
const NUMBERS = ['window_id', 'pane_id', 'pane_pid', 'pane_dead', 'pane_dead_status', 'pane_dead_signal', HOME_OPTION];
const TEXTS = ['window_name', AGENT_OPTION, 'pane_start_command', 'pane_title'];

export const PANES_FORMAT = [
  ...NUMBERS.map((name) => `#{${name}}`),
  ...TEXTS.map((name) => `#{n:${name}}`),
  TEXTS.map((name) => `#{${name}}`).join(''),
].join('|');

export interface ListedPane extends PaneInfo {
  readonly home: boolean;
}

/** Reads one line of `list-panes -F PANES_FORMAT`, given as latin1. */
export function readPane(line: string): ListedPane {
  const fields = line.split('|', NUMBERS.length + TEXTS.length);
  const [window = '', pane = '', pid, dead, status, signal, home, ...lengths] = fields;
  let at = fields.join('|').length + 1;
  const [shown = '', agent = '', command = '', title = ''] = lengths.map((length) => {
    const text = Buffer.from(line.slice(at, at + Number(length)), 'latin1').toString('utf8');
    at += Number(length);
    return clean(text);
  });
  return {
    window,
    pane,
    pid: Number(pid),
    dead: dead === '1',
    status: status ? Number(status) : undefined,
    signal: signal ? Number(signal) : undefined,
    // A window that an earlier version of furrow opened has no other name.
    name: agent === '' ? shown : agent,
    shown,
    command: withoutPrefix(command),
    title,
    home: home === '1',
  };
}

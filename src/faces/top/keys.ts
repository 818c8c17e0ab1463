import { PANEL_IDS, type PanelId } from './panel/panel.ts';

/** Everything that a key can do, but for the answers to a question: those come from `stepsFor`. */
export type Action =
  | 'up'
  | 'down'
  | 'left'
  | 'right'
  | 'pageUp'
  | 'pageDown'
  | 'first'
  | 'last'
  | 'open'
  | 'close'
  | 'nextPanel'
  | 'lastPanel'
  | 'zoom'
  | 'search'
  | 'help'
  | 'pause'
  | 'resume'
  | 'pauseFarm'
  | 'resumeFarm'
  | 'attach'
  | 'diff'
  | 'peek'
  | 'why'
  | 'quit';

type Does = Action | { readonly panel: PanelId };

interface Key {
  readonly keys: readonly string[];
  readonly does: Does;
  readonly says: string;
  /** In the last row of the screen, with this word. */
  readonly hint?: string;
}

/** The one table of keys: presses are looked up here, and the help is made from it. */
export const KEYS: readonly Key[] = [
  ...PANEL_IDS.map((panel, n): Key => ({ keys: [String(n + 1)], does: { panel }, says: `to the panel ${panel}` })),
  { keys: ['enter'], does: 'open', says: 'details of the chosen item', hint: 'details' },
  { keys: ['esc'], does: 'close', says: 'closes what is open' },
  { keys: ['z'], does: 'zoom', says: 'the panel on the whole screen, and back', hint: 'zoom' },
  { keys: ['/'], does: 'search', says: 'searches tasks, agents and events', hint: 'search' },
  { keys: ['v'], does: 'peek', says: "the live screen of the chosen agent, or of the task's", hint: 'screen' },
  { keys: ['d'], does: 'diff', says: 'the change of the chosen task or agent, in your pager', hint: 'diff' },
  { keys: ['w'], does: 'why', says: 'why the chosen task or agent does not move' },
  { keys: ['a'], does: 'attach', says: "opens the agent's terminal; Ctrl-b d comes back", hint: 'attach' },
  { keys: ['p'], does: 'pause', says: 'the chosen agent gets no more tasks', hint: 'pause' },
  { keys: ['r'], does: 'resume', says: 'the chosen agent gets tasks again', hint: 'resume' },
  { keys: ['P'], does: 'pauseFarm', says: 'no agent gets more tasks' },
  { keys: ['R'], does: 'resumeFarm', says: 'all agents get tasks again' },
  { keys: ['?'], does: 'help', says: 'these keys', hint: 'help' },
  { keys: ['tab'], does: 'nextPanel', says: 'to the next panel', hint: 'panel' },
  { keys: ['shift-tab'], does: 'lastPanel', says: 'to the panel before' },
  { keys: ['down', 'j'], does: 'down', says: 'one down' },
  { keys: ['up', 'k'], does: 'up', says: 'one up' },
  { keys: ['right', 'l'], does: 'right', says: 'one column to the right' },
  { keys: ['left', 'h'], does: 'left', says: 'one column to the left' },
  { keys: ['pgdn', ' '], does: 'pageDown', says: 'a page down' },
  { keys: ['pgup'], does: 'pageUp', says: 'a page up' },
  { keys: ['home', '<'], does: 'first', says: 'to the first' },
  { keys: ['end', '>'], does: 'last', says: 'to the last' },
  { keys: ['q', 'ctrl-c'], does: 'quit', says: 'ends furrow top; the farm goes on', hint: 'quit' },
];

const BY_NAME = new Map(KEYS.flatMap(({ keys, does }) => keys.map((name) => [name, does] as const)));

export const actionOf = (name: string): Does | undefined => BY_NAME.get(name);

const SHOWN: Readonly<Record<string, string>> = {
  up: '↑',
  down: '↓',
  left: '←',
  right: '→',
  pgup: 'PgUp',
  pgdn: 'PgDn',
  home: 'Home',
  end: 'End',
  enter: 'Enter',
  esc: 'Esc',
  tab: 'Tab',
  'shift-tab': 'Shift-Tab',
  'ctrl-c': 'Ctrl-C',
  ' ': 'Space',
};

/** A key as people call it. */
export const keyName = (name: string): string => SHOWN[name] ?? name;

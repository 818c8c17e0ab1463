import type { ListedAgent, Out, TaskState } from '../../api/contract.ts';
import { visible } from '../../platform/visible.ts';
import type { QueueEntry } from './view.ts';

/** The urgency of a state; each face has a colour for it. */
export type StateTone = 'plain' | 'faint' | 'busy' | 'good' | 'warn' | 'bad';

/** A state as people read it. `--json`, events and metrics have the stored value instead. */
export interface StateWord {
  readonly word: string;
  readonly tone: StateTone;
  /** One sign for it, so that a list can be read by its first column. */
  readonly glyph: string;
}

const state = (word: string, tone: StateTone, glyph: string): StateWord => ({ word, tone, glyph });

export const TASK_STATES: Readonly<Record<TaskState, StateWord>> = {
  waiting: state('waiting', 'faint', '·'),
  ready: state('ready', 'plain', '○'),
  leased: state('working', 'busy', '▶'),
  submitted: state('in queue', 'busy', '⇡'),
  blocked: state('blocked', 'warn', '■'),
  parked: state('parked', 'bad', '✖'),
  landed: state('landed', 'good', '✔'),
  archived: state('archived', 'faint', '-'),
};

export const AGENT_STATES: Readonly<Record<ListedAgent['state'], StateWord>> = {
  starting: state('starting', 'busy', '…'),
  working: state('working', 'busy', '▶'),
  idle: state('idle', 'faint', '○'),
  waiting: state('waiting', 'warn', '?'),
  limited: state('limited', 'warn', '◷'),
  stopped: state('stopped', 'faint', '■'),
  dead: state('dead', 'bad', '✖'),
  unknown: state('unknown', 'warn', '·'),
};

/** An entry that only lacks a yes is stored as held, and one that lands this instant as queued: people see the difference. */
export type EntryPlace = QueueEntry['state'] | 'landing' | 'approval' | 'review';

export const ENTRY_STATES: Readonly<Record<EntryPlace, StateWord>> = {
  checking: state('checking', 'busy', '◐'),
  landing: state('landing', 'good', '●'),
  approval: state('needs approval', 'warn', '?'),
  review: state('in review', 'warn', '◎'),
  queued: state('queued', 'plain', '○'),
  held: state('on hold', 'warn', '‖'),
  quarantined: state('quarantined', 'warn', '▲'),
  conflict: state('conflict', 'bad', '✖'),
  rejected: state('rejected', 'bad', '✖'),
  landed: state('landed', 'good', '✔'),
  cancelled: state('cancelled', 'faint', '-'),
};

/** The outcome of an attempt; `running`: it has none yet. */
const ATTEMPT_STATES = {
  running: state('working', 'busy', '▶'),
  submitted: state('submitted', 'good', '✔'),
  answered: state('answered', 'good', '✔'),
  unchanged: state('no change', 'good', '✔'),
  failed: state('failed', 'bad', '✖'),
  crashed: state('crashed', 'bad', '✖'),
  timeout: state('timed out', 'bad', '✖'),
  blocked: state('blocked', 'bad', '■'),
  stopped: state('stopped', 'faint', '■'),
} as const satisfies Readonly<Record<string, StateWord>>;

export const FARM_STATES = {
  running: state('running', 'good', '▶'),
  paused: state('paused', 'warn', '‖'),
  stopped: state('stopped', 'warn', '■'),
  idle: state('idle', 'warn', '○'),
  halted: state('queue halted', 'bad', '✖'),
  'queue paused': state('queue paused', 'warn', '‖'),
} as const satisfies Readonly<Record<string, StateWord>>;

/** The moments that end something, as a timeline marks them. */
export const MOMENTS = {
  landed: state('landed', 'good', '✔'),
  back: state('sent back', 'warn', '↩'),
  parked: state('parked', 'bad', '✖'),
  failed: state('failed', 'bad', '✕'),
} as const satisfies Readonly<Record<string, StateWord>>;

export function attemptState(outcome: string | null): StateWord {
  const known: Readonly<Record<string, StateWord>> = ATTEMPT_STATES;
  return known[outcome ?? 'running'] ?? state(outcome ?? '', 'plain', '·');
}

/** An outcome with its reason, unless that only repeats it: `stopped`, `failed: exit 1`. */
export function outcomeText(outcome: string | null, reason: string | null): string {
  const { word } = attemptState(outcome);
  return reason === null || reason === word ? word : `${word}: ${reason}`;
}

/** The kind of an agent, with the model and the effort that it was told: `claude (opus, high)`. */
export function kindOf({ kind, model, effort, account }: Pick<ListedAgent, 'kind' | 'model' | 'effort' | 'account'>): string {
  const told = [model, effort, account].filter((one) => one !== null && one !== undefined).join(', ');
  return told === '' ? kind : `${kind} (${told})`;
}

/** The state of an agent: `waiting: permission`, `working, paused`. A finished turn is no news. */
export function agentState({ state: at, detail, paused }: Pick<ListedAgent, 'state' | 'detail' | 'paused'>): StateWord {
  const { word, tone, glyph } = AGENT_STATES[at];
  const more = detail !== null && detail !== 'turn-ended' ? `${word}: ${visible(detail)}` : word;
  return paused ? state(`${more}, paused`, 'warn', '‖') : state(more, tone, glyph);
}

const ENDED: ReadonlySet<QueueEntry['state']> = new Set(['landed', 'conflict', 'rejected', 'cancelled']);

/** An entry that has not ended. The others are in the history, not in the queue. */
export const inQueue = ({ state: at }: Pick<QueueEntry, 'state'>): boolean => !ENDED.has(at);

const LANDS: ReadonlySet<string> = new Set(['landing', 'unchecked', 'contained']);

/** The place of an entry, by its state and the first reason for it. */
export function entryPlace({ state: at, code }: Pick<QueueEntry, 'state'> & { readonly code: string | null }): EntryPlace {
  if (code === 'approval' || code === 'review') return code;
  return code !== null && LANDS.has(code) ? 'landing' : at;
}

/** The word for a state of a task, an agent or an entry, where it is not known which: no state means two things. */
export function anyState(at: string): StateWord {
  const known: Readonly<Record<string, StateWord>> = { ...ENTRY_STATES, ...AGENT_STATES, ...TASK_STATES };
  return known[at] ?? state(at, 'plain', '·');
}

/** Counts by state. */
export function countsOf(all: readonly { readonly state: string }[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { state: at } of all) counts[at] = (counts[at] ?? 0) + 1;
  return counts;
}

/** The number of tasks that landed, and of all but those in the archive. */
export function progressOf(counts: Readonly<Record<string, number>>): { readonly landed: number; readonly total: number } {
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return { landed: counts['landed'] ?? 0, total: all - (counts['archived'] ?? 0) };
}

/** `3 ready, 1 working`, in the order of the table, without states that are empty. */
export function countedStates<S extends string>(table: Readonly<Record<S, StateWord>>, counts: Readonly<Record<string, number>>): string {
  return Object.entries<StateWord>(table)
    .flatMap(([at, { word }]) => (counts[at] ? [`${counts[at]} ${word}`] : []))
    .join(', ');
}

/** The queue in a few words: `empty`, or how many entries and running checks it has. */
export function queueWords({ depth, checking, setups }: Pick<Out<'status'>['queue'], 'depth' | 'checking' | 'setups'>): string {
  const entries = depth === 0 ? 'empty' : `${depth} ${depth === 1 ? 'entry' : 'entries'}`;
  const checks = checking - setups;
  const running = checks > 0 ? `, ${checks} ${checks === 1 ? 'check' : 'checks'} running` : '';
  return `${entries}${running}${setups > 0 ? `, ${setups} in set-up` : ''}`;
}

import { AGENT_STATES, type StateWord, TASK_STATES } from '../face/states.ts';

/** A figure of the farm: its name, what it counts, and its labels. */
export interface Family {
  readonly name: string;
  readonly kind: 'gauge' | 'counter' | 'histogram';
  readonly help: string;
  readonly by: readonly string[];
  /** Of a histogram: its bounds in seconds. */
  readonly bounds?: readonly number[];
}

/** Checks, and waits in the queue, take from milliseconds to an hour. */
const MINUTES = [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600];
/** A person may be asleep. */
const HOURS = [5, 15, 60, 300, 900, 3600, 4 * 3600, 12 * 3600, 24 * 3600, 72 * 3600];
const TICKS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

const gauge = (name: string, help: string, ...by: string[]): Family => ({ name, kind: 'gauge', help, by });
const counter = (name: string, help: string, ...by: string[]): Family => ({ name, kind: 'counter', help, by });
const histogram = (name: string, bounds: readonly number[], help: string, ...by: string[]): Family => ({
  name,
  kind: 'histogram',
  help,
  by,
  bounds,
});

/** The values of a label, with the word that people see where it is another: `leased (working)`. */
const statesIn = (table: Readonly<Record<string, StateWord>>) =>
  Object.entries(table)
    .map(([value, { word }]) => (value === word ? value : `${value} (${word})`))
    .join(', ');

/** Measured in memory: all others come from the store. */
export const TICK_TIMES = 'furrow_tick_seconds';

/** Every figure, once. The document and the dashboard are held against this by tests. */
export const FAMILIES: readonly Family[] = [
  gauge('furrow_build_info', 'Always 1; its version is that of the daemon.', 'version'),
  gauge('furrow_start_time_seconds', 'When the daemon started, in seconds since 1970.'),
  gauge('furrow_farm_state', '1 for the state that the farm is in: running, paused, idle, or stopped by a person.', 'state'),
  gauge('furrow_agents', `Agents by their state: ${statesIn(AGENT_STATES)}.`, 'state'),
  gauge('furrow_tasks', `Tasks of the board by their state: ${statesIn(TASK_STATES)}.`, 'state'),
  gauge('furrow_queue_depth', 'Entries in the merge queue.'),
  gauge('furrow_queue_checking', 'Checks that run for the queue now.'),
  gauge('furrow_queue_halted', '1 while the queue is halted: nothing lands before a person looks.'),
  counter('furrow_landings_total', 'Moves of the verified head; one may bring several tasks.'),
  counter('furrow_entries_total', 'Entries that the queue is done with, by their end: landed, rejected, conflict or cancelled.', 'state'),
  histogram('furrow_entry_seconds', MINUTES, 'Time that landed entries were in the queue.'),
  counter(
    'furrow_check_runs_total',
    'Runs of checks by outcome: pass, fail, or error when the machine gave no answer.',
    'check',
    'outcome',
  ),
  histogram('furrow_check_seconds', MINUTES, 'Duration of runs of checks that gave an answer.', 'check'),
  counter('furrow_check_flakes_total', 'Reds on a tree that also passed.', 'check'),
  gauge('furrow_verdicts', 'Verdicts on trees that the store has, green or red.', 'check', 'verdict'),
  counter('furrow_attempts_total', 'Attempts that ended, by kind of agent and outcome.', 'kind', 'outcome'),
  counter('furrow_messages_total', 'Messages that were sent, by kind.', 'kind'),
  gauge('furrow_messages', 'Messages that the store has, by receipt: queued, delivered, seen or dead.', 'receipt'),
  gauge('furrow_questions_open', 'Questions that wait for a person, by what they hold up.', 'level'),
  counter('furrow_questions_total', 'Questions to a person, by what they held up.', 'level'),
  histogram('furrow_question_seconds', HOURS, 'Time until a question was answered, or its reason had gone.', 'level'),
  counter('furrow_cost_usd_total', 'Cost in US dollars, as far as agents or prices tell.', 'kind'),
  counter('furrow_tokens_total', 'Tokens that agents used: input, output, and cached input.', 'kind', 'direction'),
  counter('furrow_events_total', 'Events in the history of the farm.'),
  histogram(TICK_TIMES, TICKS, 'Duration of a look at the whole farm, since the daemon started.'),
];

export const familyNamed = (name: string): Family => FAMILIES.find((one) => one.name === name)!;

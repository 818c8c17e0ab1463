import type { Generated } from 'kysely';
import type { EventKind } from './event-kind.ts';

/**
 * Every table of the store. Times are integer milliseconds, JSON is text, booleans are 0 or 1, and nothing here is
 * special to one engine. A task is named by its `ref`, `phase/id`: two phases may number their tasks alike.
 */
export interface Schema {
  meta: { key: string; value: string };
  event: EventRow;
  intent: IntentRow;
  work: WorkRow;
  task: TaskRow;
  attempt: AttemptRow;
  agent: AgentRow;
  entry: EntryRow;
  check_run: CheckRunRow;
  landing: LandingRow;
  revert: RevertRow;
  question: QuestionRow;
  heard: HeardRow;
  usage: UsageRow;
  message: MessageRow;
  provider_limit: ProviderLimitRow;
  config_version: ConfigVersionRow;
}

export interface EventRow {
  seq: Generated<number>;
  at: number;
  kind: EventKind;
  agent: string | null;
  task: string | null;
  attempt: number | null;
  data: string;
}

/** A journalled act: committed as `open` before it is done, closed after. */
export interface IntentRow {
  id: Generated<number>;
  kind: string;
  key: string;
  args: string;
  state: 'open' | 'done' | 'failed';
  at: number;
  ended: number | null;
  result: string | null;
}

/** One `furrow work`: which phase is being worked through, and how. */
export interface WorkRow {
  phase: string;
  parallel: number;
  kind: string | null;
  until: 'empty' | 'forever';
  state: 'active' | 'stopping' | 'ended';
  fresh: number;
  at: number;
  /** `wanted`: no agent starts before the head has passed its checks; null: it has, or nobody asked. */
  preflight: Generated<'wanted' | null>;
}

export type Standing = 'open' | 'leased' | 'submitted' | 'landed' | 'parked';

export interface TaskRow {
  ref: string;
  phase: string;
  id: string;
  /** Path below the board folder. */
  file: string;
  /** Hash of the file as last read. */
  hash: string;
  title: string;
  status: string;
  priority: string;
  class: string;
  due: string | null;
  created: number;
  depends_on: string;
  tags: string;
  agent: string | null;
  paths: string;
  check: string | null;
  blocked: number;
  block_reason: string | null;
  /** The standing in the store; `waiting`, `ready`, `blocked` and `archived` are derived from this and the board. */
  standing: Standing;
  /** Number of the newest attempt: the fencing token. */
  attempt: number;
  /** Attempts that failed by themselves (exit, red check, conflict); these are what `attempts:` bounds. */
  failures: number;
  /** Attempts that died from outside (signal, lost terminal): retried with back-off, bounded separately. */
  crashes: number;
  /** `awake` time. */
  not_before: number;
  /** JSON report for the next attempt: what went wrong and the commits to go on from. */
  rework: string | null;
  /** JSON: what the daemon still has to write into the task file; null when the file says what the store says. */
  want: string | null;
  commit: string | null;
  /** When its file was first found missing; null while it is there. A task that was worked on is not forgotten for that. */
  missing: Generated<number | null>;
  /** The file's own `updated` as last read; 0 when it has none. */
  updated: Generated<number>;
  /** The newest `updated` that the store has read or written. A file with an earlier one was turned back: by a stash, a switch, a checkout. */
  newest: Generated<number>;
  /** The claim in the file, of an agent or a person, and its time; 0 when the file does not say. */
  claimed_by: Generated<string | null>;
  claimed_at: Generated<number>;
  /** `approve`: its work lands only after a person's yes; null: as the phase or the farm says. */
  land: Generated<string | null>;
  /** JSON of who took it over, when, and where they work on it; null while nobody has. */
  taken: Generated<string | null>;
  /** Why it needed no change; null unless it ended that way. */
  unchanged: Generated<string | null>;
}

export type Outcome = 'submitted' | 'unchanged' | 'failed' | 'blocked' | 'crashed' | 'stopped' | 'timeout';

export interface AttemptRow {
  /** Counts over all tasks; names the attempt's files and its process marker. */
  id: Generated<number>;
  task: string;
  n: number;
  agent: string;
  kind: string;
  state: 'starting' | 'running' | 'ended';
  base: string;
  branch: string;
  started: number;
  ended: number | null;
  /** `awake` time. */
  deadline: number | null;
  pid: number | null;
  pid_start: string | null;
  said: string | null;
  outcome: Outcome | null;
  reason: string | null;
  sha: string | null;
  summary: string | null;
  /** The number of starts of its process: a conversation may be resumed after a crash. */
  launch: Generated<number>;
  /** The branch that its work is for, decided when it started; null in rows of earlier versions. */
  target: Generated<string | null>;
  /** JSON of the settings of its kind when it started; null in rows of earlier versions. */
  settings: Generated<string | null>;
}

export interface AgentRow {
  name: string;
  idx: number;
  phase: string;
  kind: string;
  state: 'starting' | 'idle' | 'working' | 'stopping' | 'stopped';
  worktree: string;
  /** Id of the running attempt. */
  attempt: number | null;
  paused: number;
  port: number;
  since: number;
}

/** States of an entry that is in the queue. */
export type QueuedState = 'queued' | 'checking' | 'held' | 'quarantined';

export type EntryState = QueuedState | 'conflict' | 'rejected' | 'landed' | 'cancelled';

export interface EntryRow {
  id: Generated<number>;
  task: string;
  attempt: number;
  agent: string | null;
  title: string;
  sha: string;
  /** JSON array of task refs that must be landed, or ahead, first. */
  after: string;
  /** Higher first; null: that of its task. */
  priority: number | null;
  /** Its own commits stay behind the landing. */
  keep: number;
  /** JSON array of the paths it changes; null until they are known. */
  paths: string | null;
  state: EntryState;
  reason: string | null;
  at: number;
  ended: number | null;
  /** The branch it is to land on; null in rows of earlier versions. */
  target: Generated<string | null>;
  /** Hash of the checks that it was judged by; null until it was. */
  checks: Generated<string | null>;
  /** JSON array of the rules that asked for a person's yes when it was submitted; null: none did. */
  land: Generated<string | null>;
  /** When a person said yes to this commit. */
  approved: Generated<number | null>;
}

/** One run of one check on one tree. The verdict of (tree, check) is derived from these. */
export interface CheckRunRow {
  id: Generated<number>;
  tree: string;
  check: string;
  name: string;
  outcome: 'pass' | 'fail' | 'error';
  at: number;
  ms: number;
  /** The number of checks that ran meanwhile, itself included. */
  beside: number;
  /** `queue`: before landing; `after`: on what has landed. */
  stage: 'queue' | 'after';
  log: string;
  detail: string | null;
  /** Name of the content that its verdict is about; null: the whole tree. */
  about: Generated<string | null>;
}

export interface LandingRow {
  id: Generated<number>;
  target: string;
  commit: string;
  tree: string;
  parent: string;
  /** JSON array of entry ids, in the order they are stacked in. */
  entries: string;
  /** JSON array of `{ entry, commit, tree }`: the state after each of them, the last being that of the landing. */
  steps: string;
  at: number;
  published: number | null;
  /** Hash of the checks that were in force. */
  checks: Generated<string | null>;
  /** When a person took it out of the target; it does not come back. */
  removed: Generated<number | null>;
}

/** A landed task that a slow check found guilty, and the entry that takes it back. */
export interface RevertRow {
  id: Generated<number>;
  /** Commit of the step that is taken back. */
  step: string;
  task: string;
  /** The entry of the revert; null when it could not be built. */
  entry: number | null;
  check: string;
  /** The report for the next attempt. */
  report: string;
  at: number;
  /** When the task was opened again. */
  reopened: number | null;
}

/** Something only the human can answer. */
export interface QuestionRow {
  id: Generated<number>;
  kind: string;
  subject: string;
  reason: string;
  since: number;
  closed: number | null;
  answer: string | null;
  /** The agent that asks; null for a question of the farm. */
  agent: Generated<string | null>;
  /** JSON of the exact request behind it. */
  data: Generated<string | null>;
  /** When it is answered by itself, with the safe answer; `awake` time, so that no night in suspend answers it. */
  expires: Generated<number | null>;
}

/** The events of a running attempt's agent, folded. Apart from the attempt: it changes with every tool the agent uses. */
export interface HeardRow {
  attempt: number;
  /** Id of the conversation, as the agent knows it. */
  session: string | null;
  /** JSON of what `derive` works from. */
  signals: string;
  /** JSON of how its last turn ended and what was decided then; null while it works. */
  turn: string | null;
  /** JSON of what supervision has done so far. */
  care: string;
  at: number;
}

/** The usage of one conversation of an attempt so far. */
export interface UsageRow {
  attempt: number;
  session: string;
  input: number;
  output: number;
  cache_read: number;
  cache_write: number;
  /** Millionths of a US dollar; null when neither the agent nor a price says. */
  micros: number | null;
  model: string | null;
  at: number;
}

export type MessageState = 'pending' | 'handed' | 'delivered' | 'dead';

/** A text for an agent. Its mark, `[furrow m<id>]`, is how its arrival is recognised. */
export interface MessageRow {
  id: Generated<number>;
  sender: string;
  /** An agent's name. */
  receiver: string;
  kind: 'notify' | 'ask' | 'reply';
  body: string;
  state: MessageState;
  /** The way it was handed over: `hook`, `channel`, `keys`, `inbox`. */
  via: string | null;
  /** Id of the attempt it was handed to. */
  attempt: number | null;
  tries: Generated<number>;
  at: number;
  handed_at: number | null;
  ended: number | null;
  reason: string | null;
}

/** A limit that a provider set: nobody who uses it is started before its end. */
export interface ProviderLimitRow {
  provider: string;
  since: number;
  at: number;
  until: number;
  /** The provider named the time; otherwise it is our back-off. */
  stated: number;
  /** The number of limits in a row, each soon after the one before. */
  times: number;
  text: string;
}

/** A configuration that came into force; the newest row is the one the farm works by. */
export interface ConfigVersionRow {
  id: Generated<number>;
  at: number;
  /** Where the text was read: the commit on the target, the file in the main worktree, or no file at all. */
  source: 'target' | 'checkout' | 'defaults';
  /** The commit on the target that the text is from. */
  commit: string | null;
  /** sha256 of the text. */
  hash: string;
  text: string;
  /** JSON array of the ids of its checks. */
  checks: string;
}

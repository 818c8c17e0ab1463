import type { Generated } from 'kysely';
import type { AgentRow } from './rows/agent.ts';
import type { AttemptRow } from './rows/attempt.ts';
import type { EntryRow } from './rows/entry.ts';
import type { EventRow, IntentRow } from './rows/event.ts';
import type { HostRow, InviteRow, WordRow } from './rows/host.ts';
import type { JobRow } from './rows/job.ts';
import type { LandingRow, RevertRow } from './rows/landing.ts';
import type { LeaseRow } from './rows/lease.ts';
import type { MessageRow } from './rows/message.ts';
import type { EntrantRow, RaceRow } from './rows/race.ts';
import type { ReviewRow } from './rows/review.ts';
import type { HeardRow, UsageRow } from './rows/supervision.ts';
import type { TaskRow } from './rows/task.ts';

/** Something only a person can answer. */
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
  /** The time when it gets the safe answer by itself; `awake` time, so that a night in suspend does not answer it. */
  expires: Generated<number | null>;
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
  /** The number of checks that ran at the same time, itself included. */
  beside: number;
  /** `queue`: before landing; `after`: on what has landed. */
  stage: 'queue' | 'after';
  log: string;
  detail: string | null;
  /** Hash of the content that its verdict is about; null: the whole tree. */
  about: Generated<string | null>;
  /** The machine that it ran on, if that is one that joined the farm. */
  host: Generated<string | null>;
  /** The class of that machine, if it is another one than that of the farm's own. */
  class: Generated<string | null>;
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
  /** `wanted`: no agent starts before the head has passed its checks; null: it has passed, or no preflight was asked for. */
  preflight: Generated<'wanted' | null>;
}

/** A limit that a provider set: no agent that uses the provider starts before its end. */
export interface ProviderLimitRow {
  provider: string;
  since: number;
  at: number;
  until: number;
  /** The provider named the time; otherwise it is our back-off. */
  stated: number;
  /** The number of limits in a row, each soon after the last. */
  times: number;
  text: string;
}

/** An item that a person is told, and one more row for each channel that tells it. */
export interface NoticeRow {
  id: Generated<number>;
  item: string;
  /** Empty: the item itself. */
  channel: string;
  /** `owed` for an item; `begun`, `told` or `failed` for a message. */
  state: string;
  /** For an item its kind; else the key of the message that carries it. */
  key: string;
  subject: string;
  text: string;
  at: number;
}

/** Something that the farm itself asks an agent to do. Its row in `task` has its standing; this row has its subject and its answer. */
export interface ErrandRow {
  /** The ref of its row in `task`. */
  ref: string;
  /** The task that it is about; null when it is about none. */
  about: string | null;
  /** The text that the agent is told; null: the text of the task that it is about. */
  brief: string | null;
  /** The commit that its worktree starts from; null: the head of the target. */
  base: string | null;
  /** The agent's answer; null before there is one. */
  result: string | null;
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

/**
 * Every table of the store. Times are integer milliseconds, JSON is text, booleans are 0 or 1; nothing is special to one engine. A task is
 * named by its `ref`, `phase/id`, because two phases may use the same numbers.
 */
export interface Schema {
  meta: { key: string; value: string };
  event: EventRow;
  intent: IntentRow;
  work: WorkRow;
  task: TaskRow;
  errand: ErrandRow;
  attempt: AttemptRow;
  agent: AgentRow;
  entry: EntryRow;
  check_run: CheckRunRow;
  landing: LandingRow;
  revert: RevertRow;
  question: QuestionRow;
  review: ReviewRow;
  heard: HeardRow;
  usage: UsageRow;
  lease: LeaseRow;
  message: MessageRow;
  job: JobRow;
  notice: NoticeRow;
  provider_limit: ProviderLimitRow;
  config_version: ConfigVersionRow;
  race: RaceRow;
  entrant: EntrantRow;
  host: HostRow;
  invite: InviteRow;
  word: WordRow;
}

import type { Selectable } from 'kysely';
import type { FarmEvent, ListedTask } from '../../api/contract.ts';
import type { AttemptRow } from '../../journal/rows/attempt.ts';
import type { EntryRow } from '../../journal/rows/entry.ts';
import type { EventRow } from '../../journal/rows/event.ts';
import type { LandingRow, RevertRow } from '../../journal/rows/landing.ts';
import type { EntrantRow, RaceRow } from '../../journal/rows/race.ts';
import type { ReviewRow } from '../../journal/rows/review.ts';
import type { UsageRow } from '../../journal/rows/supervision.ts';
import type { CheckRunRow, QuestionRow } from '../../journal/schema.ts';

type Row<T, K extends keyof Selectable<T>> = Pick<Selectable<T>, K>;

/** A task of the board as `furrow list` shows it, with what only the store knows. */
export interface ReportTask extends ListedTask {
  readonly ref: string;
  /** Refs of the tasks that it depends on. */
  readonly needs: readonly string[];
  /** Why it needed no change; null unless it ended that way. */
  readonly unchanged: string | null;
}

export type ReportAttempt = Row<AttemptRow, 'id' | 'task' | 'n' | 'agent' | 'kind' | 'started' | 'ended' | 'outcome'>;
export type ReportUsage = Row<UsageRow, 'attempt' | 'input' | 'output' | 'cache_read' | 'cache_write' | 'micros' | 'at'>;
export type ReportEntry = Row<EntryRow, 'id' | 'task' | 'attempt' | 'agent' | 'title' | 'state' | 'reason' | 'at' | 'ended'>;
type ReportLanding = Row<LandingRow, 'id' | 'commit' | 'steps' | 'at' | 'removed'>;
export type ReportRun = Row<CheckRunRow, 'tree' | 'about' | 'check' | 'name' | 'outcome' | 'at' | 'ms' | 'log'>;
export type ReportQuestion = Row<QuestionRow, 'id' | 'kind' | 'subject' | 'reason' | 'since' | 'closed' | 'answer' | 'agent'>;
type ReportReview = Row<ReviewRow, 'task' | 'round' | 'state' | 'reviewer' | 'at'>;
type ReportRace = Row<RaceRow, 'id' | 'task' | 'outcome' | 'winner' | 'why' | 'at'>;
type ReportEntrant = Row<EntrantRow, 'race' | 'n' | 'agent'>;
type ReportRevert = Row<RevertRow, 'task' | 'entry' | 'check' | 'at' | 'reopened'>;

export type ReportEvent = Pick<Selectable<EventRow>, 'seq' | 'at' | 'agent' | 'task' | 'attempt'> & {
  readonly kind: string;
  readonly data: Readonly<Record<string, unknown>>;
};

/** The rows that a report is made from, read at one moment; without those outside of the period. */
export interface ReportRows {
  readonly now: number;
  /** The beginning of the period. */
  readonly since: number;
  /** The same in words. */
  readonly sinceWords: string;
  readonly farm: { readonly name: string; readonly target: string; readonly version: string; readonly state: string };
  /** The oldest event that is kept, and the newest. */
  readonly kept: { readonly first: number; readonly firstAt: number; readonly last: number };
  /** Check runs are kept for less time than the rest: the oldest one there is, when others were deleted. */
  readonly oldestRun: number | null;
  readonly tasks: readonly ReportTask[];
  /** Titles of tasks that are no longer on the board, by ref. */
  readonly titles: ReadonlyMap<string, string>;
  readonly attempts: readonly ReportAttempt[];
  readonly usage: readonly ReportUsage[];
  readonly entries: readonly ReportEntry[];
  readonly landings: readonly ReportLanding[];
  readonly runs: readonly ReportRun[];
  readonly questions: readonly ReportQuestion[];
  readonly reviews: readonly ReportReview[];
  readonly races: readonly ReportRace[];
  readonly entrants: readonly ReportEntrant[];
  readonly reverts: readonly ReportRevert[];
  readonly events: readonly ReportEvent[];
  /** The events of a timeline, from the start of the oldest attempt that was at work in the period. */
  readonly timeline: readonly FarmEvent[];
}

import type { AgentRow } from './rows/agent.ts';
import type { AttemptRow } from './rows/attempt.ts';
import type { CheckRunRow } from './rows/check-run.ts';
import type { ConfigVersionRow } from './rows/config.ts';
import type { EntryRow } from './rows/entry.ts';
import type { ErrandRow } from './rows/errand.ts';
import type { EventRow, IntentRow } from './rows/event.ts';
import type { JobRow } from './rows/job.ts';
import type { LandingRow, RevertRow } from './rows/landing.ts';
import type { LeaseRow } from './rows/lease.ts';
import type { MessageRow } from './rows/message.ts';
import type { NoticeRow } from './rows/notice.ts';
import type { ProviderLimitRow } from './rows/provider.ts';
import type { QuestionRow } from './rows/question.ts';
import type { EntrantRow, RaceRow } from './rows/race.ts';
import type { ReviewRow } from './rows/review.ts';
import type { HeardRow, UsageRow } from './rows/supervision.ts';
import type { TaskRow } from './rows/task.ts';
import type { WorkRow } from './rows/work.ts';

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
}

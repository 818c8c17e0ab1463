import type { ConversationUsage } from '../../agents/agent/usage.ts';
import type { Supervision } from '../../agents/supervision/record.ts';
import type { NewEvent } from '../../journal/event.ts';
import type { QuestionKind } from '../../work/question/kind.ts';
import type { NewQuestion, Question } from '../../work/question/store.ts';

/** A host's report to the leader about what it saw or did. The leader stores all of it in one transaction. */
export interface Report {
  readonly events?: readonly NewEvent[];
  /** Questions to people; one that is open already gets the new reason. */
  readonly questions?: readonly NewQuestion[];
  /** Questions whose reason no longer exists. */
  readonly closed?: readonly { readonly kind: QuestionKind; readonly subject: string; readonly answer: string }[];
  /** Commits that were kept as another one: whatever names the first names the second from now on. */
  readonly rewritten?: readonly { readonly from: string; readonly to: string }[];
  /** Heads of targets that are there while something behind them is missing. */
  readonly tornHeads?: readonly { readonly target: string; readonly head: string }[];
  /** The conflicts that agents have been told of by now. */
  readonly conflictsTold?: string;
  /** Records of supervision, each of one start of an attempt's process. When one of them was started again since, nothing of the report is stored. */
  readonly supervised?: readonly { readonly attempt: number; readonly launch: number; readonly record: Supervision }[];
  /** Providers that answered an agent: a limit of theirs is over. */
  readonly served?: readonly { readonly provider: string; readonly agent: string }[];
  readonly usage?: readonly ConversationUsage[];
  /** Requests of agents that have their answer, or need none any more. */
  readonly answered?: readonly Answered[];
  /** Questions and jobs that their receivers were reminded of. */
  readonly reminded?: { readonly asks: readonly number[]; readonly jobs: readonly number[] };
  /** Words of furrow to agents. */
  readonly notes?: readonly { readonly to: string; readonly body: string }[];
}

interface Answered {
  readonly question: Pick<Question, 'id' | 'kind' | 'subject'>;
  readonly answer: string;
  readonly agent: string;
  /** Which attempt at the task. */
  readonly attempt: number;
}

export interface Reporting {
  /** Tells the leader what happened on this machine; resolves when it is stored. False: nothing was, because it is about a process before. */
  report(report: Report): Promise<boolean>;
}

import type { NewEvent } from '../../journal/event.ts';
import type { QuestionKind } from '../../work/question/kind.ts';
import type { NewQuestion } from '../../work/question/store.ts';

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
  /** Words of furrow to agents. */
  readonly notes?: readonly { readonly to: string; readonly body: string }[];
}

export interface Reporting {
  /** Tells the leader what happened on this machine; resolves when it is stored. */
  report(report: Report): Promise<void>;
}

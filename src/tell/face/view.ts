import type { ListedAgent, ListedTask, Out } from '../../api/contract.ts';

export type Question = Out<'status'>['attention'][number];
export type QueueEntry = Out<'queue'>['entries'][number];
type ShownLanding = Out<'queue'>['landings'][number];

/** The lists of a view; each item has a key, so that a change of one item is sent without the others. */
export interface Lists {
  readonly agents: readonly ListedAgent[];
  readonly tasks: readonly ListedTask[];
  /** The attention list, the most urgent first. */
  readonly attention: readonly Question[];
  readonly entries: readonly QueueEntry[];
  readonly landings: readonly ShownLanding[];
}

/** The farm as every face shows it: the answers of `status`, `list` and `queue`, and the newest event that they know of. */
export interface View extends Lists {
  readonly seq: number;
  readonly status: Omit<Out<'status'>, 'agents' | 'attention'>;
  readonly queue: Omit<Out<'queue'>, 'entries' | 'landings'>;
  /** The problems of the board as a whole. */
  readonly problems: readonly string[];
}

/** The view that the three answers make, each of them asked for at or after the event `seq`. */
export function viewOf(seq: number, status: Out<'status'>, list: Pick<Out<'list'>, 'tasks' | 'problems'>, queue: Out<'queue'>): View {
  const { agents, attention, ...rest } = status;
  const { entries, landings, ...queueRest } = queue;
  return { seq, status: rest, queue: queueRest, problems: list.problems, agents, attention, entries, landings, tasks: list.tasks };
}

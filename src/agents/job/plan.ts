import type { JobState } from '../../journal/rows/job.ts';
import type { MessageState } from '../../journal/rows/message.ts';
import { type EndState, isEnd } from './state.ts';

/** A job that has not ended, with the fate of the message that carries it. */
export interface OpenJob {
  readonly id: number;
  readonly owner: string;
  readonly state: JobState;
  readonly attempt: number | null;
  readonly deadline: number | null;
  /** The reason why somebody wants it cancelled. */
  readonly cancel: string | null;
  readonly message: { readonly state: MessageState; readonly attempt: number | null; readonly reason: string | null };
}

export type JobAction =
  | { readonly do: 'deliver'; readonly job: number; readonly attempt: number }
  | { readonly do: 'end'; readonly job: number; readonly state: EndState; readonly reason: string };

/** The consequences for open jobs of the fate of their messages, their deadlines and the ends of attempts. `running`: ids of attempts that have not ended. */
export function planJobs(jobs: readonly OpenJob[], running: ReadonlySet<number>, now: number): JobAction[] {
  return jobs.flatMap((job) => next(job, running, now) ?? []);
}

function next({ id: job, owner, state, ...rest }: OpenJob, running: ReadonlySet<number>, now: number): JobAction | undefined {
  const { attempt, deadline, cancel, message } = rest;
  const end = (to: EndState, reason: string): JobAction => ({ do: 'end', job, state: to, reason });
  if (isEnd(state)) return undefined;
  if (deadline !== null && now >= deadline) return end('expired', `its deadline passed while it was ${state}`);
  if (state === 'queued') {
    if (message.state === 'dead') return end('unavailable', message.reason ?? `${owner} cannot be reached`);
    return message.state === 'delivered' && message.attempt !== null ? { do: 'deliver', job, attempt: message.attempt } : undefined;
  }
  if (attempt !== null && running.has(attempt)) return undefined;
  return cancel === null
    ? end('failed', `${owner} ended its attempt without a result`)
    : end('cancelled', `${owner} ended its attempt; it had been told: ${cancel}`);
}

/** After this many reminders a job that its agent has not ended counts as forgotten. */
export const MAX_REMINDERS = 2;

/** Jobs with an agent that it should end or speak about before its turn is over. One that waits for somebody else is not one of them. */
export const isOwed = (state: JobState): boolean => state === 'queued' || state === 'delivered' || state === 'running';

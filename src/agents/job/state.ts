import type { JobState } from '../../journal/rows/job.ts';

/** The standing of a job, and the attempt that has it. */
export interface Standing {
  readonly state: JobState;
  readonly attempt: number | null;
}

/** States that the agent with the job can say it is in; the last three end it. */
const SAID = ['running', 'awaiting_input', 'blocked', 'completed', 'failed', 'cancelled'] as const;
type SaidState = (typeof SAID)[number];

const ENDS = ['completed', 'failed', 'cancelled', 'expired', 'unavailable'] as const;
export type EndState = (typeof ENDS)[number];

export const isEnd = (state: JobState): state is EndState => (ENDS as readonly JobState[]).includes(state);

export type JobEvent =
  /** The message that carries it was read in this attempt. */
  | { readonly on: 'delivered'; readonly attempt: number }
  /** The agent says how it stands. `attempt`: the one that speaks. */
  | { readonly on: 'said'; readonly state: SaidState; readonly attempt: number }
  /** The farm ends it: its time is over, its agent is gone or has forgotten it, or nobody wants it and nobody has begun. */
  | { readonly on: 'ended'; readonly state: EndState };

/**
 * The next standing, or undefined when the event does not apply: a job has one end, and only the attempt that has it speaks for it.
 */
export function step(from: Standing, event: JobEvent): Standing | undefined {
  if (isEnd(from.state)) return undefined;
  switch (event.on) {
    case 'delivered':
      return from.state === 'queued' ? { state: 'delivered', attempt: event.attempt } : undefined;
    case 'said':
      return from.state !== 'queued' && from.attempt === event.attempt ? { state: event.state, attempt: from.attempt } : undefined;
    case 'ended':
      return { state: event.state, attempt: from.attempt };
    default:
      return event satisfies never;
  }
}

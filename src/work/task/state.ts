import type { Standing } from '../../journal/rows/task.ts';

export type { Standing } from '../../journal/rows/task.ts';

/** Where a task stands, and the number of its newest attempt: the fencing token. */
export interface TaskPosition {
  readonly standing: Standing;
  readonly attempt: number;
}

/** An event with a token speaks for that attempt; one without a token comes from a person. */
export type TaskEvent =
  | { on: 'claimed'; holder: string; token: number }
  | { on: 'submitted'; token: number }
  | { on: 'failed' | 'crashed' | 'stopped' | 'blocked'; token: number }
  | { on: 'handedBack'; token: number }
  | { on: 'landed'; token: number }
  | { on: 'answered'; token: number }
  | { on: 'unchanged'; token?: number }
  | { on: 'requeued'; token: number }
  | { on: 'reverted'; token: number }
  | { on: 'parked'; token: number }
  | { on: 'handSubmitted'; token: number }
  | { on: 'found'; standing: Standing; token: number }
  | { on: 'retried' }
  | { on: 'reopened' };

/**
 * The next position, or `undefined` when the event does not apply: a late or foreign event changes nothing. Every change of standing goes
 * through here.
 */
export function step(from: TaskPosition, event: TaskEvent): TaskPosition | undefined {
  const { standing, attempt } = from;
  const to = (next: Standing): TaskPosition => ({ standing: next, attempt });
  switch (event.on) {
    // A new token is always the next number, so two claims from one snapshot cannot both win.
    case 'claimed':
      return standing === 'open' && event.token === attempt + 1 ? { standing: 'leased', attempt: event.token } : undefined;
    // A person's branch for a task that no agent holds: an attempt without an agent.
    case 'handSubmitted':
      return (standing === 'open' || standing === 'parked') && event.token === attempt + 1
        ? { standing: 'submitted', attempt: event.token }
        : undefined;
    case 'submitted':
      return standing === 'leased' && event.token === attempt ? to('submitted') : undefined;
    // `blocked` leaves it open: the reason is on the board, and removing it there makes the task ready again.
    case 'failed':
    case 'crashed':
    case 'stopped':
    case 'blocked':
      return standing === 'leased' && event.token === attempt ? to('open') : undefined;
    case 'handedBack':
      return standing === 'submitted' && event.token === attempt ? to('open') : undefined;
    case 'landed':
      return standing === 'submitted' && event.token === attempt ? to('landed') : undefined;
    // An errand ends with its answer, or with the commits of an entrant; nothing is queued.
    case 'answered':
      return standing === 'leased' && event.token === attempt ? to('landed') : undefined;
    // There is nothing to do: its agent says so, or a person about a task that nobody holds.
    case 'unchanged':
      if (event.token === undefined) return standing === 'open' || standing === 'parked' ? to('landed') : undefined;
      return standing === 'leased' && event.token === attempt ? to('landed') : undefined;
    // A person moved the target away from an unpublished landing: its commits are queued again.
    case 'requeued':
      return standing === 'landed' && event.token === attempt ? to('submitted') : undefined;
    // Its landing was taken back because a slow check turned red with it; a later landing of the same task is another one.
    case 'reverted':
      return standing === 'landed' && event.token === attempt ? to('open') : undefined;
    case 'parked':
      return standing !== 'landed' && standing !== 'parked' && event.token === attempt ? to('parked') : undefined;
    // A lost store is rebuilt: refs and trailers tell the task's standing.
    case 'found':
      return standing === 'open' && event.token >= attempt ? { standing: event.standing, attempt: event.token } : undefined;
    case 'retried':
      return standing === 'parked' || standing === 'open' ? to('open') : undefined;
    case 'reopened':
      return standing === 'landed' ? to('open') : undefined;
    default:
      return event satisfies never;
  }
}

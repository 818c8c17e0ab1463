/** A message on its way to another farm. */
export interface Crossing {
  readonly kind: string;
  /** Handed: that farm has taken a question, and has it until it is closed. */
  readonly state: 'pending' | 'handed';
  /** Of a question: somebody still waits for its answer. */
  readonly open: boolean;
  /** Of an answer: nobody waits for it after this. */
  readonly until: number | null;
}

/** The next thing to do for it. `recall`: that farm is told that nobody waits any more. */
export type CrossingStep = { readonly do: 'bring' | 'recall' | 'settle' | 'wait' } | { readonly do: 'end'; readonly reason: string };

/** A daemon that is replaced, or was killed and is started by the next command, is back within this time. */
export const GONE_MS = 30_000;

/** `missingMs`: for so long no farm of that name has been running; undefined: one is. */
export function nextCrossing(
  { kind, state, open, until }: Crossing,
  farm: string,
  missingMs: number | undefined,
  now: number,
): CrossingStep {
  const here = missingMs === undefined;
  const gone = !here && missingMs >= GONE_MS;
  if (state === 'handed') {
    if (open) return gone ? { do: 'end', reason: `the farm ${farm} has stopped` } : { do: 'wait' };
    return here ? { do: 'recall' } : { do: 'settle' };
  }
  if (until !== null && now >= until) return { do: 'end', reason: 'its question has expired, so nobody waits for it' };
  if (here) return { do: 'bring' };
  // An answer is kept as long as somebody may wait for it; whoever asks or tells hears soon that nobody is there.
  return gone && kind !== 'reply' ? { do: 'end', reason: `the farm ${farm} does not run` } : { do: 'wait' };
}

/** Why a farm did not take a message, in words of our own: what is told to an agent unquoted comes from nobody else. */
export function refusedBy(farm: string, agent: string, code: string): string {
  if (code === 'NO_AGENT') return `${farm} has no agent ${agent}`;
  if (code === 'NOT_IN_CIRCLE') return `the circles of both farms do not allow it`;
  if (code === 'TOO_MANY_HOPS') return `${farm} refused it: the conversation has gone from agent to agent too often`;
  return `${farm} refused it (${code})`;
}

/** The end of a question in the other farm without an answer, in words of our own. */
export function endedThere(end: 'expired' | 'unanswered' | 'dead', receiver: string): string {
  if (end === 'expired') return 'its deadline has passed';
  return end === 'unanswered' ? `${receiver} ended its attempt without an answer` : `it did not reach ${receiver}`;
}

import type { SeenProcess } from './process.ts';

/** A live attempt, with all that decides whether it ends. */
export interface SeenAttempt extends SeenProcess {
  /** Its turn ended and nothing is left to do: the process may live on, the attempt does not. */
  readonly turnOver: boolean;
  /** A person took its task over, or gave it up. */
  readonly taken: boolean;
  /** Its process ended and the attempt goes on: it will be started again, or its turn is being judged. */
  readonly goesOn: boolean;
  /** It ends turns, and is given time to end this one after it said it is done. */
  readonly turns: boolean;
}

export interface SeenAgent {
  readonly name: string;
  readonly state: 'starting' | 'idle' | 'working' | 'stopping' | 'stopped';
  readonly stopNow: boolean;
}

export type EndWhy = 'exit' | 'gone' | 'stop' | 'timeout' | 'said' | 'turn';

interface EndAttempt {
  readonly attempt: number;
  readonly why: EndWhy;
  readonly graceMs: number;
}

/** An agent that said it is done has this long to clean up before its processes are ended. */
const SAID_GRACE_MS = 5_000;
/** One that ends turns says a last word after `furrow done`, and only then is its cost known: 8 s with a slow model. */
const TURN_GRACE_MS = 60_000;
const saidGrace = ({ turns }: Pick<SeenAttempt, 'turns'>) => (turns ? TURN_GRACE_MS : SAID_GRACE_MS);
const STOP_GRACE_MS = 5_000;

/** Decides which attempts are ended now, and how. Pure: the same look gives the same answer. */
export function planEnds(attempts: readonly SeenAttempt[], agents: readonly SeenAgent[], now: number): EndAttempt[] {
  const byName = new Map(agents.map((agent) => [agent.name, agent]));
  return attempts.flatMap((attempt) => {
    if (attempt.state !== 'running') return [];
    const agent = byName.get(attempt.agent);
    const end = (why: EndWhy, graceMs = 0): EndAttempt[] => [{ attempt: attempt.id, why, graceMs }];
    if (attempt.turnOver) return end('turn', STOP_GRACE_MS);
    if (attempt.exited && !attempt.goesOn) return end('exit');
    if ((attempt.alive === false || attempt.orphaned) && !attempt.goesOn) return end('gone');
    if (agent?.state === 'stopping') return end('stop', agent.stopNow ? 0 : STOP_GRACE_MS);
    if (attempt.taken) return end('stop', STOP_GRACE_MS);
    if (attempt.deadline !== null && now >= attempt.deadline) return end('timeout', STOP_GRACE_MS);
    if (attempt.saidAt !== null && now >= attempt.saidAt + saidGrace(attempt)) return end('said', STOP_GRACE_MS);
    return [];
  });
}

/** When `planEnds` can next change its mind by the passing of time alone. */
export function nextDeadline(attempts: readonly SeenAttempt[]): number | undefined {
  const times = attempts.flatMap((a) => [a.deadline, a.saidAt === null ? null : a.saidAt + saidGrace(a)]).filter((t) => t !== null);
  return times.length > 0 ? Math.min(...times) : undefined;
}

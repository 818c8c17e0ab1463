import type { AgentCaller, Caller } from '../../../api/caller.ts';
import type { Proven } from '../../../api/hello.ts';
import type { Recognise } from '../../../api/introduction.ts';
import { FurrowError } from '../../../platform/error.ts';
import { splitRef } from '../../../work/task/id.ts';
import type { Farm } from '../../farm/farm.ts';
import type { AttemptAnswers } from '../../farm/leader-answers.ts';
import { type Judged, judgePeer } from './judge-peer.ts';

interface Known extends Pick<Farm, 'id' | 'config'> {
  readonly leader: { readonly attempts: Pick<AttemptAnswers, 'find' | 'processes'> };
}

/**
 * At the person's socket. An agent without a fence has the same user and can reach it: it is recognised by its process and treated as
 * the agent it is. Where no process can be proven (macOS) whoever reaches this socket counts as the person.
 */
export function recogniseAtDesk(farm: Known): Recognise {
  return async (proven) => {
    if (proven === 'unprovable') return { kind: 'person' };
    const judged = await judge(farm, proven);
    if (judged.is === 'person') return { kind: 'person', ...lineOf(proven) };
    if (judged.is === 'agent') return { ...(await agentCaller(farm, judged.attempt)), ...lineOf(proven) };
    throw stranger(judged.is);
  };
}

/** At the door of an attempt, where only that attempt's own processes are heard. */
export function recogniseAtDoor(farm: Known, attempt: number): Recognise {
  return async (proven): Promise<Caller> => {
    const judged = proven === 'unprovable' ? { is: 'agent' as const, attempt } : await judge(farm, proven);
    if (judged.is === 'agent' && judged.attempt === attempt) return { ...(await agentCaller(farm, attempt)), ...lineOf(proven) };
    throw new FurrowError(
      'NOT_YOUR_DOOR',
      `this is the door of attempt ${attempt}, and the calling process does not belong to that attempt`,
      {
        hint: 'unset FURROW_DOOR, then the same command',
      },
    );
  };
}

/** The process behind a proof, and those above it. */
const lineOf = (proven: Proven) => (typeof proven === 'string' ? {} : { line: proven.line.map(({ pid, start }) => ({ pid, start })) });

/** The caller behind an attempt's number. Its role is that of the configuration in force, so a person can take it away at once. */
export async function agentCaller(farm: Known, attempt: number): Promise<AgentCaller> {
  const row = await farm.leader.attempts.find(attempt);
  if (!row) throw new FurrowError('STALE', `attempt ${attempt} is not known here any more`, { hint: 'stop here' });
  const { phase, id } = splitRef(row.task);
  return {
    kind: 'agent',
    attempt,
    agent: row.agent,
    orchestrator: farm.config.agents[row.kind]?.role === 'orchestrator',
    speaker: { agent: row.agent, task: id, phase, attempt: row.n },
    ended: row.state === 'ended',
  };
}

async function judge(farm: Known, proven: Exclude<Proven, 'unprovable'>): Promise<Judged | { is: 'unproven' }> {
  if (proven === 'unproven') return { is: 'unproven' };
  // A process in our own namespace that has no marker of an attempt above it is not below an attempt's first process either, so the store
  // is not asked.
  const judged = judgePeer(proven, farm.id, []);
  if (judged.is === 'person') return judged;
  return judgePeer(proven, farm.id, await farm.leader.attempts.processes());
}

const STRANGERS = {
  helper: 'a check or a set-up command cannot call furrow',
  outside: 'the process that calls runs in a container or a sandbox of its own, so the daemon cannot tell whether a person started it',
  unproven: 'the daemon could not find the process that calls, so it cannot tell whether a person started it',
};

const stranger = (is: keyof typeof STRANGERS) =>
  new FurrowError('NOT_A_PERSON', STRANGERS[is], { hint: 'the same command in a terminal on the machine of the daemon' });

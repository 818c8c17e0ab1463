import type { Agent } from '../../../agents/agent/store.ts';
import type { Supervision } from '../../../agents/supervision/record.ts';
import type { Attempt } from '../../../work/attempt/store.ts';

export interface RelaunchArgs {
  readonly attempt: number;
  /** The number of the start that this is. */
  readonly launch: number;
  /** `resume`: the same conversation; `fresh`: a new one that is handed what the last one knew. */
  readonly how: 'resume' | 'fresh';
  readonly why: string;
  /** It leaves its account, which refuses it: the new conversation is that of another one. */
  readonly leavesAccount?: true;
}

export interface Relaunched {
  readonly pid: number;
  readonly start: string;
  /** There was nothing to go on with. */
  readonly forgotten?: true;
}

export interface RelaunchFacts {
  readonly row: Attempt;
  readonly agent: Agent;
  /** Ref of the task that is raced for, of an entrant. */
  readonly raced: string | null;
  /** The record of the process before. */
  readonly supervision: Supervision | undefined;
}

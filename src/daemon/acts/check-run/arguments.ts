import type { CheckSpec } from '../../../queue/snapshot.ts';

export interface CheckArgs {
  readonly tree: string;
  /** The commit that has this tree: the tip of a stack, or the head itself. */
  readonly commit: string;
  readonly check: CheckSpec;
  /** Name of the slot's folder. */
  readonly slot: string;
  /** The machine that runs it, if it is one that joined the farm. */
  readonly host?: string;
  /** The task that it is about, if it is one alone. */
  readonly task: string | null;
  readonly stage: 'queue' | 'after';
  /** File that gets the output, see `checkLog`. It is known before the check runs, so that people can read along. */
  readonly log: string;
  /** A person asked for it and waits: it runs in a stopped farm, too. */
  readonly asked?: true;
}

export interface Checked {
  readonly outcome: 'pass' | 'fail' | 'error';
  readonly ms: number;
  readonly detail: string | null;
  /** The number of the queue's checks that ran meanwhile, this one included. */
  readonly beside: number;
  /** The content that its answer is about, of a check with paths. */
  readonly about?: string | undefined;
  /** The machine that ran it, if it is one that joined the farm. */
  readonly host?: string;
  /** The class of that machine, if it is unlike that of the farm's own. */
  readonly class?: string;
}

export const runningKey = (run: { tree: string; check: string }) => `${run.tree}:${run.check}`;

import type { CheckArgs, Checked } from '../acts/check-run/arguments.ts';

/** A machine that joined the farm and takes checks now. */
export interface ReadyHost {
  readonly name: string;
  readonly labels: readonly string[];
  /** The most checks that it takes at a time. */
  readonly checks: number;
  /** Its platform and the versions of what checks use, if they are not those of the farm's own machine. */
  readonly class: string | undefined;
}

/** The machines that joined the farm, as the queue uses them. */
export interface JoinedHosts {
  ready(): readonly ReadyHost[];
  /** Runs a check on `args.host`. Rejects with CUT_SHORT when that gave no answer: then it is planned again, here or elsewhere. */
  check(args: CheckArgs, cancelled: AbortSignal): Promise<Checked>;
}

/** One machine alone. */
export const NO_HOSTS: JoinedHosts = {
  ready: () => [],
  check: async () => {
    throw new Error('no machine has joined');
  },
};

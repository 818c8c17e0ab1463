import { probePush, pushTarget } from '../../../repo/merge/push.ts';
import type { HostHalf } from '../../farm/acts/acts.ts';
import type { PushArgs } from '../../farm/acts/landing.ts';
import { targetOf } from '../../farm/inputs/target.ts';
import type { Host } from '../host.ts';

/** Pushes the published target to a remote: a fast-forward from a value that was seen there, and nothing else. */
export function push(farm: Host, ending: () => AbortSignal): HostHalf<'landing.push'> {
  const order = (args: PushArgs) => ({ ...args, target: targetOf(args, farm), signal: ending() });
  return {
    async probe(args) {
      return (await probePush(farm.repo, order(args))) === 'done' ? { pushed: true, at: args.commit } : undefined;
    },
    run: (args) => pushTarget(farm.repo, order(args)),
  };
}

import { probePush, pushTarget } from '../../../repo/merge/push.ts';
import { targetOf } from '../../farm/target-of.ts';
import type { Host } from '../../host/host.ts';
import type { HostHalf } from '../table.ts';
import type { PushArgs } from './arguments.ts';

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

import { land as moveHead, probeLanding } from '../../../repo/merge/land.ts';
import { headRef } from '../../../repo/merge/target-refs.ts';
import { targetOf } from '../../farm/target-of.ts';
import type { Host } from '../../host/host.ts';
import type { HostHalf } from '../table.ts';
import type { LandArgs, Landed } from './arguments.ts';

const DROPPED: Landed = { landed: false, dropped: true };

/** Moves the verified chain by one commit: a single-ref compare-and-swap, fenced by the epoch. */
export function land(farm: Host): HostHalf<'landing.land'> {
  const move = (args: LandArgs) => ({ ref: headRef(targetOf(args, farm)), old: args.head, new: args.commit });
  return {
    async probe(args, { judged }) {
      const state = await probeLanding(farm.repo, move(args));
      if (state !== 'todo') return { landed: state === 'done' };
      return judged ? undefined : DROPPED;
    },

    async run(args, { judged }) {
      // The checks may have changed since the intent was stored.
      if (!judged) return DROPPED;
      const done = await moveHead(farm.repo, { ...move(args), epoch: farm.epoch, parent: args.head });
      return { landed: done.moved };
    },
  };
}

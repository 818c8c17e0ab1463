import { append } from '../../../journal/event.ts';
import type { Pushed } from '../../../repo/merge/push.ts';
import { passes } from '../../../repo/merge/push-failure.ts';
import { closeQuestions, raiseQuestion } from '../../../work/question/store.ts';
import { targetOf } from '../../farm/target-of.ts';
import type { Grounds, LeaderHalf, Memory } from '../../leader/act-half.ts';
import { stateFor } from '../../leader/queue/switch-target.ts';
import { afterPush, noteLastPush, placeOf, tellPush } from '../../leader/target/push.ts';
import type { PushArgs } from './arguments.ts';

/** Stores where the remote's branch is, or why it is not where the target is. */
export function push(at: Grounds): LeaderHalf<'landing.push'> {
  const note =
    (target: string, args: PushArgs, result: Pushed) =>
    ({ farm, state }: Memory) => {
      const about = stateFor(state, target);
      if (about) about.pushFailed = afterPush(about.pushFailed, args, result, farm.clock.awake());
      void tellPush(farm, args, result, about?.pushFailed?.times ?? 1);
    };
  return {
    async finish(tx, args, result, now, after) {
      const { remote, commit } = args;
      const target = targetOf(args, at);
      const place = placeOf(remote, target);
      if (result.pushed) {
        await noteLastPush(tx, target, remote, { commit, at: result.at });
        await append(tx, { kind: 'landing.pushed', text: `${place} is at ${commit.slice(0, 8)}`, data: { commit, remote } }, now);
        await closeQuestions(tx, 'push', place, 'pushed', now);
      } else {
        const { kind, reason, hint } = result;
        const text = `${commit.slice(0, 8)} is not on ${place}: ${reason}`;
        await append(tx, { kind: 'landing.not-pushed', text, data: { commit, remote, kind } }, now);
        // What passes by itself needs nobody; the rest waits for a person, who is told the next command.
        if (!passes(kind)) await raiseQuestion(tx, { kind: 'push', subject: place, reason: `${reason}: ${hint}` }, now);
      }
      after(note(target, args, result));
    },
  };
}

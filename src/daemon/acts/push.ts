import type { PushArgs } from '../../farm/acts/landing.ts';
import type { Farm } from '../../farm/farm.ts';
import { targetOf } from '../../farm/inputs/target.ts';
import type { Act } from '../../journal/act.ts';
import { append } from '../../journal/event.ts';
import { noteLastPush } from '../../leader/target/last-push.ts';
import { type Pushed, probePush, pushTarget } from '../../merge/push.ts';
import { passes } from '../../merge/push-failure.ts';
import { closeQuestions, raiseQuestion } from '../../question/store.ts';

/** Pushes the published target to a remote: a fast-forward from a value that was seen there, and nothing else. */
export function pushAct(farm: Farm, signal: AbortSignal, onDone: (args: PushArgs, result: Pushed) => void): Act<PushArgs, Pushed> {
  const order = (args: PushArgs) => ({ ...args, target: targetOf(args, farm), signal });
  return {
    kind: 'landing.push',

    async probe(args) {
      return (await probePush(farm.repo, order(args))) === 'done' ? { pushed: true, at: args.commit } : undefined;
    },

    run: (args) => pushTarget(farm.repo, order(args)),

    async finish(tx, args, result, now) {
      const { remote, commit } = args;
      const target = targetOf(args, farm);
      const place = `${remote}/${target}`;
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
      onDone(args, result);
    },
  };
}

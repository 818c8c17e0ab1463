import type { Farm } from '../../farm/farm.ts';
import { targetOf } from '../../farm/inputs/target.ts';
import type { Act } from '../../journal/act.ts';
import { append } from '../../journal/event.ts';
import { raise, settle } from '../../journal/question.ts';
import { writeMeta } from '../../journal/store.ts';
import { type Pushed, probePush, pushTarget } from '../../merge/push.ts';
import { passes } from '../../merge/push-failure.ts';

export interface PushArgs {
  readonly remote: string;
  /** A landing that the user's branch has. */
  readonly commit: string;
  /** Where our last push left the remote's branch. */
  readonly expected: string | null;
  /** Missing in an intent of an earlier version. */
  readonly target?: string;
}

/** What was pushed last, and where the remote's branch was then: there, or ahead of it. */
export interface LastPush {
  readonly commit: string;
  readonly at: string;
}

export const pushedKey = (target: string, remote: string) => `push.at:${remote}:${target}`;

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
        await writeMeta(tx, pushedKey(target, remote), JSON.stringify({ commit, at: result.at } satisfies LastPush));
        await append(tx, { kind: 'landing.pushed', text: `${place} is at ${commit.slice(0, 8)}`, data: { commit, remote } }, now);
        await settle(tx, 'push', place, 'pushed', now);
      } else {
        const { kind, reason, hint } = result;
        const text = `${commit.slice(0, 8)} is not on ${place}: ${reason}`;
        await append(tx, { kind: 'landing.not-pushed', text, data: { commit, remote, kind } }, now);
        // What passes by itself needs nobody; the rest waits for a person, who is told the next command.
        if (!passes(kind)) await raise(tx, { kind: 'push', subject: place, reason: `${reason}: ${hint}` }, now);
      }
      onDone(args, result);
    },
  };
}

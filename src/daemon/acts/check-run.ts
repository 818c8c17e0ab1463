import { join } from 'node:path';
import { passedEnvironment } from '../../agent/environment.ts';
import type { Act } from '../../journal/act.ts';
import { append } from '../../journal/event.ts';
import { runCheck } from '../../merge/check.ts';
import type { CheckSpec } from '../../merge/snapshot.ts';
import { FurrowError } from '../../platform/error.ts';
import { limiter } from '../../platform/limit.ts';
import { jailPrefix } from '../../platform/process/jail.ts';
import { killTree } from '../../platform/process/kill.ts';
import { type Farm, slotMarker } from '../farm.ts';

export interface CheckArgs {
  readonly tree: string;
  /** The commit that would land, or the head itself. */
  readonly commit: string;
  readonly check: CheckSpec;
  readonly slot: number;
  readonly task: string | null;
}

interface Checked {
  readonly outcome: 'pass' | 'fail' | 'error';
  readonly ms: number;
  readonly detail: string | null;
  readonly log: string;
}

/** Runs one check on one tree in a slot. Nothing of it survives a crash but the journal: it is killed and run again. */
export function checkRun(farm: Farm, signal: (key: string) => AbortSignal): Act<CheckArgs, Checked> {
  // One at a time in a slot: a cancelled one may still be tidying up when the next is wanted.
  const inSlot = limiter(1);

  const check = async (args: CheckArgs): Promise<Checked> => {
    const log = join(
      farm.places.logs,
      'checks',
      `${args.tree.slice(0, 12)}-${args.check.name.replaceAll(/[^A-Za-z0-9._-]/g, '-')}-${farm.clock.now()}.log`,
    );
    const marker = slotMarker(farm, args.slot);
    const slot = { path: join(farm.places.slots, String(args.slot)), marker, jail: jailPrefix(farm.killMethod, marker) };
    const env = { ...passedEnvironment(process.env), ...args.check.env, FURROW_RUN: marker };
    const done = await runCheck(
      farm.repo,
      slot,
      { commit: args.commit, tree: args.tree, check: args.check, log, caches: farm.config.queue.caches, env },
      signal(`${args.tree}:${args.check.id}`),
    );
    return { ...done, log };
  };

  return {
    kind: 'check.run',

    // What was cut short has said nothing. It is ended, and the plan asks for it again if it still wants it.
    probe: (args) =>
      inSlot(async () => {
        await killTree({ root: undefined, marker: slotMarker(farm, args.slot) }, 0);
        throw new FurrowError('CUT_SHORT', 'the daemon ended while the check ran');
      }),

    run: (args) => inSlot(() => check(args)),

    async finish(tx, args, result, now) {
      await tx
        .insertInto('check_run')
        .values({
          tree: args.tree,
          check: args.check.id,
          name: args.check.name,
          outcome: result.outcome,
          at: now,
          ms: Math.round(result.ms),
          log: result.log,
          detail: result.detail,
        })
        .execute();
      const seconds = (result.ms / 1000).toFixed(1);
      const text = `${args.check.name} ${{ pass: 'passed', fail: 'failed', error: 'could not run' }[result.outcome]} on ${args.tree.slice(0, 8)} in ${seconds} s${result.detail ? `: ${result.detail}` : ''}`;
      await append(
        tx,
        {
          kind: 'check.ended',
          task: args.task,
          text,
          data: { outcome: result.outcome, tree: args.tree, check: args.check.name, ms: Math.round(result.ms), log: result.log },
        },
        now,
      );
    },
  };
}

import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import { passedEnvironment } from '../../agent/environment.ts';
import { aboutIn } from '../../farm/abouts.ts';
import { type Farm, slotMarker } from '../../farm/farm.ts';
import { setupForCheck } from '../../host/check-setup.ts';
import { slotOf } from '../../host/setup.ts';
import type { Act } from '../../journal/act.ts';
import { append } from '../../journal/event.ts';
import { runCheck } from '../../merge/check.ts';
import { FurrowError } from '../../platform/error.ts';
import { limiter } from '../../platform/limit.ts';
import { killTree } from '../../platform/process/kill.ts';
import { countConcurrency } from '../../queue/concurrency.ts';
import type { CheckSpec } from '../../queue/snapshot.ts';

export interface CheckArgs {
  readonly tree: string;
  /** The commit that has this tree: the tip of a stack, or the head itself. */
  readonly commit: string;
  readonly check: CheckSpec;
  /** Name of the slot's folder. */
  readonly slot: string;
  /** The task that it is about, if it is one alone. */
  readonly task: string | null;
  readonly stage: 'queue' | 'after';
  /** File that gets the output, see `checkLog`. It is known before the check runs, so that people can read along. */
  readonly log: string;
}

interface Checked {
  readonly outcome: 'pass' | 'fail' | 'error';
  readonly ms: number;
  readonly detail: string | null;
  /** How many checks of the queue ran meanwhile, this one included. */
  readonly beside: number;
  /** The content that its answer is about, of a check with paths. */
  readonly about?: string | undefined;
}

/** A new file for the output of a check on a tree. */
export function checkLog({ places, clock }: Pick<Farm, 'places' | 'clock'>, tree: string, check: string): string {
  const name = `${tree.slice(0, 12)}-${check.replaceAll(/[^A-Za-z0-9._-]/g, '-')}-${clock.now()}.log`;
  return join(places.logs, 'checks', name);
}

/** Tells by the name of its log that a check was cut short: nothing else does, because it has no outcome to be stored. */
export const cutShort = new EventEmitter().setMaxListeners(0);

export const runningKey = (run: { tree: string; check: string }) => `${run.tree}:${run.check}`;

/** Runs one check on one tree in a slot. Nothing of it survives a crash but the journal: it is killed and run again. */
export function checkRun(farm: Farm, signal: (key: string) => AbortSignal): Act<CheckArgs, Checked> {
  // One at a time in a slot: a cancelled one may still be tidying up when the next is wanted.
  const slots = new Map<string, ReturnType<typeof limiter>>();
  const inSlot = (slot: string) => {
    const known = slots.get(slot) ?? limiter(1);
    slots.set(slot, known);
    return known;
  };

  const there = countConcurrency();
  const counted = async (args: CheckArgs): Promise<Checked> => {
    if (args.stage !== 'queue') return { ...(await check(args)), beside: 1 };
    const leave = there.enter(farm.clock.awake());
    let beside = 1;
    const done = await check(args).finally(() => {
      beside = leave(farm.clock.awake());
    });
    return { ...done, beside };
  };

  const check = async (args: CheckArgs): Promise<Omit<Checked, 'beside'>> => {
    const { log } = args;
    const slot = slotOf(farm, args.slot);
    const passed = passedEnvironment(process.env);
    const env = { ...passed, ...args.check.env, FURROW_RUN: slot.marker };
    const caches = farm.config.queue.caches;
    const setup = setupForCheck(farm, { slot, commit: args.commit, env: passed, log, caches });
    const onStart = () => {
      farm.commandsRunning.set(log, farm.clock.awake());
      // Somebody has to know when it would be too long.
      farm.wake();
    };
    const order = { commit: args.commit, tree: args.tree, check: args.check, log, caches, env, onStart, ...(setup && { setup }) };
    const cancelled = signal(runningKey({ tree: args.tree, check: args.check.id }));
    const done = await runCheck(farm.repo, slot, order, cancelled)
      .catch((error: unknown) => {
        throw cancelled.aborted ? new FurrowError('CUT_SHORT', 'the check was cancelled') : error;
      })
      .finally(() => farm.commandsRunning.delete(log));
    return { ...done, about: await aboutIn(farm, args.check, args.tree) };
  };

  return {
    kind: 'check.run',

    // What was cut short has said nothing. It is ended, and the plan asks for it again if it still wants it.
    probe: (args) =>
      inSlot(args.slot)(async () => {
        await killTree({ root: undefined, marker: slotMarker(farm, args.slot) }, 0);
        throw new FurrowError('CUT_SHORT', 'the daemon ended while the check ran');
      }),

    run: (args) => inSlot(args.slot)(() => counted(args)),

    async finish(tx, args, result, now) {
      const { tree, check: spec, stage, log } = args;
      const { outcome, detail, beside, about = null } = result;
      const ms = Math.round(result.ms);
      await tx
        .insertInto('check_run')
        .values({ tree, check: spec.id, name: spec.name, outcome, at: now, ms, beside, stage, log, detail, about })
        .execute();
      const how = { pass: 'passed', fail: 'failed', error: 'could not run' }[outcome];
      const text = `${spec.name} ${how} on ${tree.slice(0, 8)} in ${(ms / 1000).toFixed(1)} s${detail ? `: ${detail}` : ''}`;
      await append(tx, { kind: 'check.ended', task: args.task, text, data: { outcome, tree, check: spec.name, ms, log, stage } }, now);
    },

    async failed(_tx, args) {
      cutShort.emit(args.log);
    },
  };
}

import { passedEnvironment } from '../../../agents/agent/environment.ts';
import { FurrowError } from '../../../platform/error.ts';
import { limiter } from '../../../platform/limit.ts';
import { killTree } from '../../../platform/process/kill.ts';
import { countConcurrency } from '../../../queue/width.ts';
import { runCheck } from '../../../repo/merge/check.ts';
import { slotMarker } from '../../farm/process-names.ts';
import { aboutIn } from '../../farm/verdict-keys.ts';
import { setupForCheck } from '../../host/checks/check-setup.ts';
import { cacheTrust, slotOf } from '../../host/checks/slot.ts';
import type { CheckHost } from '../../host/host.ts';
import type { HostHalf } from '../table.ts';
import { type CheckArgs, type Checked, runningKey } from './arguments.ts';

/** Runs one check on one tree in a slot. Nothing of it survives a crash but the journal: it is killed and run again. */
export function checkRun(farm: CheckHost, signal: (key: string) => AbortSignal): HostHalf<'check.run'> {
  // One at a time in a slot: a cancelled one may still be tidying up when the next is wanted.
  const slots = new Map<string, ReturnType<typeof limiter>>();
  const inSlot = (slot: string) => {
    const known = slots.get(slot) ?? limiter(1);
    slots.set(slot, known);
    return known;
  };

  const there = countConcurrency();
  const counted = async (args: CheckArgs): Promise<Checked> => {
    const cancelled = signal(runningKey({ tree: args.tree, check: args.check.id }));
    if (args.stage !== 'queue') return { ...(await check(farm, args, cancelled)), beside: 1 };
    const leave = there.enter(farm.clock.awake());
    let beside = 1;
    const done = await check(farm, args, cancelled).finally(() => {
      beside = leave(farm.clock.awake());
    });
    return { ...done, beside };
  };

  return {
    // What was cut short has said nothing. It is ended, and the plan asks for it again if it still wants it.
    probe: (args) =>
      inSlot(args.slot)(async () => {
        await killTree({ root: undefined, marker: slotMarker(farm, args.slot) }, 0);
        throw new FurrowError('CUT_SHORT', 'the daemon ended while the check ran');
      }),

    run: (args) => inSlot(args.slot)(() => counted(args)),
  };
}

async function check(farm: CheckHost, args: CheckArgs, cancelled: AbortSignal): Promise<Omit<Checked, 'beside'>> {
  const { log } = args;
  const slot = slotOf(farm, args.slot);
  const passed = passedEnvironment(process.env);
  const env = { ...passed, ...args.check.env, FURROW_RUN: slot.marker };
  const caches = farm.config.queue.caches;
  const setup = setupForCheck(farm, { slot, commit: args.commit, env: passed, log, caches });
  const onStart = () => {
    farm.checksInSetup.delete(log);
    farm.commandsRunning.set(log, farm.clock.awake());
    // Somebody has to know when it would be too long.
    farm.wake();
  };
  const trust = cacheTrust(farm);
  const order = { commit: args.commit, tree: args.tree, check: args.check, log, caches, trust, env, onStart, ...(setup && { setup }) };
  farm.checksInSetup.add(log);
  const done = await runCheck(farm.repo, slot, order, cancelled)
    .catch((error: unknown) => {
      throw cancelled.aborted ? new FurrowError('CUT_SHORT', 'the check was cancelled') : error;
    })
    .finally(() => {
      farm.checksInSetup.delete(log);
      farm.commandsRunning.delete(log);
    });
  return { ...done, about: await aboutIn(farm, args.check, args.tree) };
}

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { passedEnvironment } from '../../../agents/agent/environment.ts';
import { FurrowError } from '../../../platform/error.ts';
import { limiter } from '../../../platform/limit.ts';
import { readOutput } from '../../../platform/output/read.ts';
import { killTree } from '../../../platform/process/kill.ts';
import { choiceInOutput } from '../../../queue/race/judgement.ts';
import { runCheck } from '../../../repo/merge/check.ts';
import { slotMarker } from '../../farm/process-names.ts';
import { setupForCheck } from '../../host/checks/check-setup.ts';
import { cacheTrust, slotOf } from '../../host/checks/slot.ts';
import type { Host } from '../../host/host.ts';
import type { HostHalf } from '../table.ts';
import type { JudgeArgs, Judged } from './arguments.ts';

/** Judges have a slot for themselves. */
const SLOT = 'judge';
/** In the slot, where the command may read it in its fence too. */
const FILE = '.furrow-race.json';
const TIMEOUT_MS = 30 * 60_000;

/** Runs the judge command of a race on the head, like a check. What a crash cut short has said nothing, and is asked again. */
export function raceJudge(farm: Host, ending: () => AbortSignal): HostHalf<'race.judge'> {
  const inSlot = limiter(1);
  return {
    probe: () =>
      inSlot(async () => {
        await killTree({ root: undefined, marker: slotMarker(farm, SLOT) }, 0);
        throw new FurrowError('CUT_SHORT', 'the daemon ended while the judge ran');
      }),

    run: (args) => inSlot(() => judge(farm, args, ending())),
  };
}

async function judge(farm: Host, { commit, tree, run, candidates, log }: JudgeArgs, ending: AbortSignal): Promise<Judged> {
  const slot = slotOf(farm, SLOT);
  const file = join(slot.path, FILE);
  const passed = passedEnvironment(process.env);
  const { caches } = farm.config.queue;
  const setup = setupForCheck(farm, { slot, commit, env: passed, log, caches });
  const check = { id: '', name: 'race-judge', run, timeoutMs: TIMEOUT_MS, env: { FURROW_RACE: file } };
  const onStart = () => writeFileSync(file, `${JSON.stringify(candidates, null, 2)}\n`, { mode: 0o600 });
  const env = { ...passed, FURROW_RUN: slot.marker };
  const order = { commit, tree, check, log, caches, trust: cacheTrust(farm), env, onStart, ...(setup && { setup }) };
  const { outcome, detail } = await runCheck(farm.repo, slot, order, ending).catch((error: unknown) => {
    throw ending.aborted ? new FurrowError('CUT_SHORT', 'the judge was cut short') : error;
  });
  if (outcome === 'error') throw new FurrowError('JUDGE_FAILED', detail ?? 'the judge could not be run');
  if (outcome === 'fail') return { winner: null, why: `the judge failed (${detail}); output: ${log}` };
  const choice = choiceInOutput(await readOutput(log));
  return choice ?? { winner: null, why: `the last line of the judge names no winner; output: ${log}` };
}

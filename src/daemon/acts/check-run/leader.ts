import { append } from '../../../journal/event.ts';
import { addCheckRun } from '../../../queue/check-run/store.ts';
import type { CheckSpec } from '../../../queue/snapshot.ts';
import { hostLabels } from '../../farm/check-specs.ts';
import type { Grounds, LeaderHalf } from '../../leader/act-half.ts';
import { freeAfterCheck } from '../../leader/check-needs.ts';
import { unlikeKey } from '../../leader/queue/choose-slot.ts';
import type { QueueMemory } from '../../leader/queue/memory.ts';
import { assertTrusted } from '../../leader/trust.ts';
import { type Checked, runningKey } from './arguments.ts';

/** A red of a machine that is unlike this one, of a check that may run on any. */
const isDoubted = (check: CheckSpec, { outcome, class: of }: Checked): boolean =>
  outcome === 'fail' && of !== undefined && hostLabels(check).length === 0;

/** Remembers which reds are to be asked again here, and which checks a class of machines answers otherwise than this one. */
function noteLikeness({ doubted, unlike }: Pick<QueueMemory, 'doubted' | 'unlike'>, tree: string, check: CheckSpec, result: Checked): void {
  const key = runningKey({ tree, check: check.id });
  if (isDoubted(check, result)) doubted.set(key, result.class!);
  if (result.host !== undefined || result.outcome === 'error') return;
  const there = doubted.get(key);
  doubted.delete(key);
  if (there !== undefined && result.outcome === 'pass') unlike.add(unlikeKey(there, check.id));
}

/** Stores the verdict of a check on a tree. */
export function checkRun(farm: Grounds): LeaderHalf<'check.run'> {
  return {
    begin: async () => assertTrusted(farm),

    async finish(tx, args, result, now, after) {
      await freeAfterCheck(tx, farm, args, now);
      const { tree, check: spec, stage, log } = args;
      const { outcome, detail, beside, about = null, host = null, class: of = null } = result;
      const ms = Math.round(result.ms);
      // A red of a machine that is unlike this one may be the machine's own: it is no verdict, and the plan asks again.
      const doubted = isDoubted(spec, result);
      if (!doubted)
        await addCheckRun(tx, {
          tree,
          check: spec.id,
          name: spec.name,
          outcome,
          at: now,
          ms,
          beside,
          stage,
          log,
          detail,
          about,
          host,
          class: of,
        });
      const how = { pass: 'passed', fail: 'failed', error: 'could not run' }[outcome];
      const where = host === null ? '' : ` by ${host}`;
      const again = doubted ? `. ${host} is another kind of machine (${of}), so it is checked again here` : '';
      const text = `${spec.name} ${how} on ${tree.slice(0, 8)}${where} in ${(ms / 1000).toFixed(1)} s${detail ? `: ${detail}` : ''}${again}`;
      const data = { outcome, tree, check: spec.name, ms, log, stage, ...(host !== null && { host }), ...(doubted && { counts: false }) };
      await append(tx, { kind: 'check.ended', task: args.task, text, data }, now);
      after(({ state: { queue } }) => noteLikeness(queue, tree, spec, result));
    },

    async failed(tx, args, _error, now, after) {
      await freeAfterCheck(tx, farm, args, now);
      after((memory) => memory.farm.cutShort.emit(args.log));
    },
  };
}

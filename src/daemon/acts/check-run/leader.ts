import { append } from '../../../journal/event.ts';
import { addCheckRun } from '../../../queue/check-run/store.ts';
import type { Grounds, LeaderHalf } from '../../leader/act-half.ts';
import { freeAfterCheck } from '../../leader/check-needs.ts';
import { assertTrusted } from '../../leader/trust.ts';

/** Stores the verdict of a check on a tree. */
export function checkRun(farm: Grounds): LeaderHalf<'check.run'> {
  return {
    begin: async () => assertTrusted(farm),

    async finish(tx, args, result, now) {
      await freeAfterCheck(tx, farm, args, now);
      const { tree, check: spec, stage, log } = args;
      const { outcome, detail, beside, about = null } = result;
      const ms = Math.round(result.ms);
      await addCheckRun(tx, { tree, check: spec.id, name: spec.name, outcome, at: now, ms, beside, stage, log, detail, about });
      const how = { pass: 'passed', fail: 'failed', error: 'could not run' }[outcome];
      const text = `${spec.name} ${how} on ${tree.slice(0, 8)} in ${(ms / 1000).toFixed(1)} s${detail ? `: ${detail}` : ''}`;
      await append(tx, { kind: 'check.ended', task: args.task, text, data: { outcome, tree, check: spec.name, ms, log, stage } }, now);
    },

    async failed(tx, args, _error, now, after) {
      await freeAfterCheck(tx, farm, args, now);
      after((memory) => memory.farm.cutShort.emit(args.log));
    },
  };
}

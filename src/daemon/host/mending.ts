import { join } from 'node:path';
import { passedEnvironment } from '../../agents/agent/environment.ts';
import { matchesAny } from '../../platform/glob.ts';
import { limiter } from '../../platform/limit.ts';
import { killTree } from '../../platform/process/kill.ts';
import type { Mend } from '../../repo/merge/conflict.ts';
import type { OpenConflict } from '../../repo/merge/judge.ts';
import { learn } from '../../repo/merge/mend/learn.ts';
import { mend } from '../../repo/merge/mend/mend.ts';
import type { Mended, MendRules, Scratch } from '../../repo/merge/mend/rules.ts';
import { splitRef } from '../../work/task/id.ts';
import type { Mending } from '../farm/mending.ts';
import { slotMarker } from '../farm/process-names.ts';
import { trustedConfig } from '../farm/trust/trusted-config.ts';
import { slotOf } from './checks/slot.ts';
import type { Host } from './host.ts';

const SLOT = 'scratch';

export function mending(farm: Host): Mending {
  const ending = new AbortController();
  const inSlot = limiter(1);
  const learning = limiter(1);
  const busy = new Set<Promise<unknown>>();
  const told = new Set<string>();
  const marker = slotMarker(farm, SLOT);
  // A daemon that was killed cannot have ended its command.
  const cleared = killTree({ root: undefined, marker }, 0);
  cleared.catch(() => {});

  const track = <T>(work: Promise<T>): Promise<T> => {
    const over = work.catch(() => {}).finally(() => busy.delete(over));
    busy.add(over);
    return work;
  };

  const mendOne = async (openConflict: OpenConflict, rules: MendRules): Promise<Mended> => {
    const { place, entry, theirs, output: merged } = openConflict;
    await cleared;
    const scratch = scratchOf(farm, entry.id);
    return mend(farm.repo, { ours: place.ours, theirs, merged, rules, scratch }, ending.signal);
  };

  return {
    get closed() {
      return ending.signal.aborted;
    },
    mend(openConflict) {
      const rules = rulesOf(farm);
      const commands = rules.regenerate.flatMap((rule) => rule.paths);
      // The slot is one; what needs no command does not wait for it.
      const slow = openConflict.output.files.some(({ path }) => matchesAny(path, commands));
      return track(slow ? inSlot(() => mendOne(openConflict, rules)) : mendOne(openConflict, rules));
    },
    learn(lessons) {
      for (const lesson of lessons) {
        const work = learning(async () => (ending.signal.aborted ? [] : learn(farm.repo, lesson)));
        track(work).catch((error: Error) => farm.log.warn({ error: error.message }, 'a resolution could not be recorded'));
      }
    },
    async tell({ id, task, attempt }, head, result) {
      const by = result.kind === 'clean' ? (result.mended ?? []) : [];
      const key = `${id} ${head}`;
      if (by.length === 0 || told.has(key)) return;
      told.add(key);
      const text = `${splitRef(task)?.id ?? task} in the queue: ${describe(by)}`;
      const event = { kind: 'entry.mended' as const, task, attempt, text, data: { paths: by.map(({ path }) => path) } };
      await farm.report({ events: [event] });
    },
    async close() {
      ending.abort();
      await Promise.all(busy);
    },
  };
}

function rulesOf(farm: Host): MendRules {
  const { queue } = trustedConfig(farm);
  const regenerate = queue.regenerate.map(({ paths, run, timeout }) => ({ paths, run, timeoutMs: timeout }));
  return { union: queue.union, rerere: queue.rerere, regenerate };
}

function scratchOf(farm: Host, entry: number): Scratch {
  return {
    ...slotOf(farm, SLOT),
    env: passedEnvironment(process.env),
    log: join(farm.places.logs, 'checks', `mend-${entry}-${farm.clock.now()}.log`),
  };
}

const HOW: Record<Mend['how'], string> = {
  union: 'was merged by union',
  rerere: 'was resolved as it was before',
  regenerated: 'was regenerated',
};

const SHOWN = 5;

function describe(by: readonly Mend[]): string {
  const more = by.length > SHOWN ? ` and ${by.length - SHOWN} more` : '';
  const shown = by.slice(0, SHOWN).map(({ path, how }) => `${path} ${HOW[how]}`);
  return `${shown.join(', ')}${more}`;
}

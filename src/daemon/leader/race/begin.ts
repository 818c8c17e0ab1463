import { append } from '../../../journal/event.ts';
import type { Tx } from '../../../journal/store.ts';
import { FurrowError } from '../../../platform/error.ts';
import { type EntrantKinds, wantedEntrants } from '../../../queue/race/plan.ts';
import { addEntrant, addRace, lastRaceOf } from '../../../queue/race/store.ts';
import { beginErrand } from '../../../work/errand/store.ts';
import { reworkOf } from '../../../work/task/rework.ts';
import { advance, noteRework, type Task } from '../../../work/task/store.ts';
import { missingProgram } from '../../farm/agent-programs.ts';
import { canStart } from '../../farm/agent-settings.ts';
import type { Farm } from '../../farm/farm.ts';

/** The entrants of the race that a task's file asks for. A file starts one race only: after that the task is usual work. */
export async function dueEntrants({ db }: Pick<Farm, 'db'>, task: Task): Promise<EntrantKinds | undefined> {
  const kinds = task.purpose === 'work' ? wantedEntrants(task.race) : undefined;
  return kinds && !(await lastRaceOf(db, task.ref)) ? kinds : undefined;
}

/** Says which kind of a race cannot be started, if one cannot. */
export function missingKind(farm: Pick<Farm, 'config'>, kinds: EntrantKinds): FurrowError | undefined {
  const named = [...new Set(kinds.filter((kind) => kind !== null))];
  const unknown = named.find((kind) => !canStart(farm.config, kind));
  const known = Object.keys(farm.config.agents).join(', ');
  if (unknown !== undefined)
    return new FurrowError('NO_AGENT', `furrow.yaml has no agent kind ${unknown}, which the race asks for`, {
      hint: `its kinds are ${known}`,
    });
  for (const kind of named) {
    const missing = missingProgram(farm, kind);
    if (missing) return missing;
  }
  return undefined;
}

/**
 * Begins a race: leases the task, so that nobody else starts on it, and makes an errand for each entrant. `false`: the task is no longer
 * free.
 */
export async function beginRace(
  tx: Tx,
  farm: Pick<Farm, 'config' | 'clock'>,
  task: Task,
  kinds: EntrantKinds,
  now: number,
): Promise<boolean> {
  const token = task.attempt + 1;
  if (!(await advance(tx, task.ref, { on: 'claimed', holder: 'race', token }, now, { tell: { status: 'in-progress' } }))) return false;
  const { first, deadline } = farm.config.race;
  const until = deadline === undefined ? null : farm.clock.awake() + deadline;
  const race = await addRace(tx, { task: task.ref, token, first, deadline: until }, now);
  const rework = reworkOf(task);
  for (const [at, kind] of kinds.entries()) {
    const { phase, title } = task;
    const errand = {
      purpose: 'entrant',
      about: task.ref,
      phase,
      kind: kind ?? task.agent,
      // A model of one kind means nothing to another.
      ...(kind === null && { model: task.model, effort: task.effort }),
      title,
      brief: null,
      base: null,
      notBy: null,
    } as const;
    const ref = await beginErrand(tx, errand, now);
    // Each continues from what the last attempt left, as a single agent would.
    if (rework) await noteRework(tx, ref, rework);
    await addEntrant(tx, { race, n: at + 1, ref, kind }, now);
  }
  const text = `${kinds.length} agents race for ${task.id}`;
  await append(tx, { kind: 'race.started', task: task.ref, attempt: token, text, data: { race, kinds } }, now);
  return true;
}

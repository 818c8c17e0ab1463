import { errandOf } from '../../../work/errand/store.ts';
import { openQuestions } from '../../../work/question/store.ts';
import type { PlanTask } from '../../../work/task/dispatch.ts';
import type { Farm } from '../../farm/farm.ts';
import type { LoopState } from '../state.ts';

const OVER = new Set(['landed', 'parked', 'archived']);

/**
 * Notes the tasks that an agent cuts up now, or whose parts a person has not agreed to yet. `furrow split` also blocks the task in its file, but an agent
 * may be free in the moment before, and a person may unblock it: done as a whole, it would be done twice.
 */
export async function holdSplit({ db }: Pick<Farm, 'db'>, tasks: readonly PlanTask[], held: LoopState['held']): Promise<void> {
  const asked = (await openQuestions(db, { kinds: ['split'] })).map(({ subject }) => subject);
  const underWay = tasks.filter(({ purpose, standing }) => purpose === 'split' && !OVER.has(standing)).map(({ ref }) => ref);
  for (const ref of new Set([...underWay, ...asked])) {
    const errand = await errandOf(db, ref);
    if (errand?.about) held.set(errand.about, { code: 'split', text: `is being split: ${errand.id}`, refused: true });
  }
}

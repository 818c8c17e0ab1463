import type { Farm } from '../farm/farm.ts';
import type { Performer } from '../farm/performer.ts';
import { writeBoard } from './board/write.ts';
import type { LoopState } from './state.ts';

/** Goes on with the acts of an earlier daemon. Landings, publications and task files are done when it resolves. */
export async function goOn(farm: Farm, state: LoopState, perform: Performer): Promise<void> {
  await perform.recover(['landing.land', 'landing.publish']);
  // Before the board is read: a file that was written and not stored would be taken for a person's edit, and written once more.
  await writeBoard(farm, state, await farm.tasks(), perform);
}

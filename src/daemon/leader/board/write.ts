import { isWritable } from '../../../work/task/file-change.ts';
import type { Farm } from '../../farm/farm.ts';
import type { Performer } from '../../farm/performer.ts';
import type { TaskRows } from '../../farm/task-rows.ts';
import type { LoopState } from '../state.ts';

/**
 * Writes the store's wants into the task files; resolves when that is done. Not while a rebase, merge or the like is half done in the
 * checkout: git does not continue one over changed tracked files. Meanwhile the store counts.
 */
export function writeBoard(farm: Farm, state: LoopState, rows: Pick<TaskRows, 'wanting'>, perform: Performer): Promise<unknown> {
  const writable = rows.wanting.filter(isWritable);
  state.boardWaits = writable.length > 0 && farm.git.isHalfWay();
  return Promise.all(state.boardWaits ? [] : writable.map((row) => perform.start('board.write', { task: row.ref, want: row.want! })));
}

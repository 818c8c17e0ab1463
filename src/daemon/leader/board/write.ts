import { isWritable } from '../../../work/task/file-change.ts';
import type { Farm } from '../../farm/farm.ts';
import type { Performer } from '../../farm/performer.ts';
import type { FarmRows } from '../../farm/snapshot.ts';
import type { LoopState } from '../state.ts';

/**
 * Writes the store's wants into the task files. Not while a rebase, merge or the like is half done in the checkout: git does not continue
 * one over changed tracked files. Meanwhile the store counts.
 */
export function writeBoard(farm: Farm, state: LoopState, rows: FarmRows, perform: Performer): void {
  const writable = rows.wanting.filter(isWritable);
  state.boardWaits = writable.length > 0 && farm.git.isHalfWay();
  if (state.boardWaits) return;
  for (const row of writable) void perform.start('board.write', { task: row.ref, want: row.want! });
}

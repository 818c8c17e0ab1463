import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isWritable } from '../../../work/task/follow.ts';
import type { Farm } from '../../farm/farm.ts';
import type { Performer } from '../../farm/performer.ts';
import type { FarmRows } from '../../farm/snapshot.ts';
import type { LoopState } from '../state.ts';

/** Files in the git folder of an operation that a person has still to finish. */
const HALF_WAY = ['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'rebase-merge', 'rebase-apply', 'sequencer'];

/**
 * Writes the store's wants into the task files. Not while a rebase, merge or the like is half done in the checkout: git does not continue
 * one over changed tracked files. Meanwhile the store counts.
 */
export function writeBoard(farm: Farm, state: LoopState, rows: FarmRows, perform: Performer): void {
  const writable = rows.wanting.filter(isWritable);
  state.boardWaits = writable.length > 0 && HALF_WAY.some((name) => existsSync(join(farm.repo.gitDir, name)));
  if (state.boardWaits) return;
  for (const row of writable) void perform.start('board.write', { task: row.ref, want: row.want! });
}

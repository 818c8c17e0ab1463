import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { raise, settle } from '../journal/question.ts';
import { tableVersion } from '../platform/db.ts';
import { changesIn, importBoard } from '../task/import.ts';
import type { Quarantined } from '../task/layout.ts';
import { matchFiles } from '../task/match.ts';
import { askAboutLanded } from '../task/reopen.ts';
import { scan } from '../task/scan.ts';
import type { Farm } from './farm.ts';
import { readTasks } from './snapshot.ts';
import type { LoopState } from './state.ts';

/** Reads the task files if something may have changed there, and takes over what they say. */
export async function observeBoard(farm: Farm, state: LoopState): Promise<void> {
  if (state.boardDirty) {
    state.boardDirty = false;
    try {
      await readFiles(farm, state);
    } catch (error) {
      state.boardDirty = true;
      throw error;
    }
  }
  await askAgainAboutLanded(farm, state);
}

async function readFiles(farm: Farm, state: LoopState): Promise<void> {
  const seen = await scan(farm.board, state.scan?.cache);
  farm.board = seen.board;
  const broken = new Set(seen.quarantined.flatMap((one) => (one.ref ? [one.ref] : [])));
  const matched = matchFiles((await readTasks(farm)).tasks, seen.tasks, broken);
  const quarantined = [...seen.quarantined, ...matched.refused];
  const changes = changesIn(matched);
  const said = trouble(quarantined);
  const now = farm.clock.now();
  if (changes || state.boardTrouble !== said) {
    await farm.db.transaction().execute(async (tx) => {
      if (changes) await importBoard(tx, changes, now);
      if (said) await raise(tx, { kind: 'board', subject: 'board', reason: said }, now);
      else await settle(tx, 'board', 'board', 'mended', now);
    });
    state.boardTrouble = said;
  }
  state.scan = { ...seen, quarantined };
}

function trouble([first, ...more]: readonly Quarantined[]): string | null {
  return first ? `${first.file}:${first.line}: ${first.reason}${more.length > 0 ? ` (and ${more.length} more)` : ''}` : null;
}

/** Whenever a task has changed, since also a landing can make a file say the wrong thing: one that was turned back meanwhile. */
async function askAgainAboutLanded(farm: Farm, state: LoopState): Promise<void> {
  const version = tableVersion(farm.db, 'task');
  if (state.landedAsked === version) return;
  const titleOf = (file: string) => state.scan?.tasks.find((task) => task.file === file)?.title;
  await askAboutLanded(farm.db, titleOf, () => checkedOut(farm.repo.gitDir), farm.clock.now());
  state.landedAsked = version;
}

/** The branch of the main worktree, for people. */
function checkedOut(gitDir: string): string {
  const head = readFileSync(join(gitDir, 'HEAD'), 'utf8').trim();
  const branch = /^ref: refs\/heads\/(.+)$/.exec(head)?.[1];
  return branch ? `branch ${branch}` : `no branch (${head.slice(0, 8)})`;
}

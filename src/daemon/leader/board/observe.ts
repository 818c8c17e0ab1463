import { tableVersion } from '../../../platform/engine/counted.ts';
import { closeQuestions, raiseQuestion } from '../../../work/question/store.ts';
import { boardFor } from '../../../work/task/board.ts';
import { isSameTask } from '../../../work/task/file-change.ts';
import { changesIn, importBoard } from '../../../work/task/import.ts';
import type { Quarantined } from '../../../work/task/layout.ts';
import { matchFiles } from '../../../work/task/match-files.ts';
import { askAboutLanded } from '../../../work/task/reopen.ts';
import { rescan, type ScannedTask, scan } from '../../../work/task/scan.ts';
import type { Task } from '../../../work/task/store.ts';
import type { Farm } from '../../farm/farm.ts';
import type { LoopState } from '../state.ts';

/** Reads the task files that may have changed into the store. True when something changed. */
export function observeBoard(farm: Farm, state: LoopState): Promise<boolean> {
  return state.boardTurn(async () => {
    if (isKnown(farm, state)) return false;
    const before = standOf(farm, state);
    await readChanged(farm, state);
    return standOf(farm, state) !== before;
  });
}

/** True when nobody told of a change since the last look: most ticks are about something else. */
const isKnown = ({ db, config }: Farm, { boardOf, boardDirty, boardFiles, landedAsked }: LoopState): boolean =>
  !boardDirty && boardFiles.size === 0 && boardOf === (config.board ?? null) && landedAsked === tableVersion(db, 'task');

/** The part that makes a tick act differently; without the next free number, which each new task changes. */
function standOf(farm: Farm, state: LoopState): string {
  const phases = farm.board.phases.map(({ name, config }) => [name, { ...config, nextId: 0 }]);
  return JSON.stringify([tableVersion(farm.db, 'task'), farm.board.dir, phases, state.boardTrouble]);
}

async function readChanged(farm: Farm, state: LoopState): Promise<void> {
  await followConfig(farm, state);
  if (state.boardDirty || state.boardFiles.size > 0) {
    const files = state.boardDirty ? [] : [...state.boardFiles];
    state.boardDirty = false;
    state.boardFiles.clear();
    try {
      if (files.length === 0 || !(await readSome(farm, state, files))) await readFiles(farm, state);
    } catch (error) {
      state.boardDirty = true;
      throw error;
    }
  }
  await askAgainAboutLanded(farm, state);
}

/** Another `board:` has come into force: from now on its files count. */
async function followConfig(farm: Farm, state: LoopState): Promise<void> {
  const { board } = farm.config;
  if (state.boardOf !== undefined && state.boardOf !== (board ?? null)) {
    farm.board = await boardFor(farm.repo.root, board);
    state.scan = undefined;
    state.boardDirty = true;
  }
  state.boardOf = board ?? null;
}

/** Reads only these files; `false` when that is not enough: then the whole board is read. */
async function readSome(farm: Farm, state: LoopState, files: readonly string[]): Promise<boolean> {
  const seen = state.scan && rescan(state.scan, files);
  if (!seen) return false;
  const tasks = await farm.tasks();
  const known = seen.changed.map((file) => ({ row: tasks.row(file.ref), file }));
  if (!known.every(isSame)) return false;
  // It may be a task that moved, or a copy of one: only a look at all files tells.
  if (seen.added.some((file) => tasks.tasks.some((row) => row.id === file.id))) return false;
  const changes = changesIn({ known, added: seen.added, gone: [], refused: [] }, farm.ownWrites);
  if (changes) await farm.db.transaction().execute((tx) => importBoard(tx, changes, farm.clock.now()));
  state.scan = seen.scan;
  farm.board = seen.scan.board;
  return true;
}

type Pair<Row> = { readonly row: Row; readonly file: ScannedTask };

/** True for the row that the file was read into before, not for one that only has its name now. */
function isSame(pair: Pair<Task | undefined>): pair is Pair<Task> {
  return pair.row !== undefined && pair.row.file === pair.file.file && isSameTask(pair.row, pair.file);
}

async function readFiles(farm: Farm, state: LoopState): Promise<void> {
  const seen = await scan(farm.board, state.scan?.cache);
  farm.board = seen.board;
  const broken = new Set(seen.quarantined.flatMap((one) => (one.ref ? [one.ref] : [])));
  const matched = matchFiles((await farm.tasks()).tasks, seen.tasks, broken);
  const quarantined = [...seen.quarantined, ...matched.refused];
  const changes = changesIn(matched, farm.ownWrites);
  const said = trouble(quarantined);
  const now = farm.clock.now();
  if (changes || state.boardTrouble !== said) {
    await farm.db.transaction().execute(async (tx) => {
      if (changes) await importBoard(tx, changes, now);
      if (said) await raiseQuestion(tx, { kind: 'board', subject: 'board', reason: said }, now);
      else await closeQuestions(tx, 'board', 'board', 'mended', now);
    });
    state.boardTrouble = said;
  }
  state.scan = { ...seen, quarantined };
}

function trouble([first, ...more]: readonly Quarantined[]): string | null {
  return first ? `${first.file}:${first.line}: ${first.reason}${more.length > 0 ? ` (and ${more.length} more)` : ''}` : null;
}

/** Runs whenever a task has changed, since a landing too can make a file wrong: one that was turned back meanwhile. */
async function askAgainAboutLanded(farm: Farm, state: LoopState): Promise<void> {
  const version = tableVersion(farm.db, 'task');
  if (state.landedAsked === version) return;
  const titleOf = (file: string) => state.scan?.tasks.find((task) => task.file === file)?.title;
  await askAboutLanded(farm.db, titleOf, () => farm.git.checkedOut(), farm.clock.now());
  state.landedAsked = version;
}

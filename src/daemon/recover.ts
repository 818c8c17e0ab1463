import { readdir } from 'node:fs/promises';
import { forgetLoss } from '../platform/farm-file.ts';
import { clearOwnLocks } from '../platform/git/own-locks.ts';
import { lastAttemptId, numberFrom, openAttempts } from '../work/attempt/store.ts';
import { sweepBoard } from '../work/task/sweep-board.ts';
import type { Farm } from './farm/farm.ts';
import type { Performer } from './farm/performer.ts';
import { sweepTemporary } from './host/agents/temporary.ts';
import { heldByCommands } from './host/lease-holders.ts';
import { endStrays } from './host/strays.ts';
import { observeBoard } from './leader/board/observe.ts';
import { goOn } from './leader/go-on.ts';
import { rebuild } from './leader/lost-store/rebuild.ts';
import type { LoopState } from './leader/state.ts';
import { readOthers } from './leader/target/other-targets.ts';
import { trustAtStart } from './leader/trust.ts';
import type { WholeFarm } from './whole-farm.ts';

/**
 * Goes on with what an earlier daemon left, by a crash say, before anything is decided anew. Acts that were cut short are asked whether they are
 * done (`probe` in `acts/NAME/host.ts`) and then finished or done again (`journal/act.ts`).
 */
export async function recover(farm: WholeFarm, state: LoopState, perform: Performer): Promise<void> {
  if (farm.foreign) return farm.failing.load();
  await numberAttempts(farm);
  if (farm.lost) await recoverStore(farm, state);
  await farm.failing.load();
  await farm.terminals.attach();
  await sweepBoard(farm.board);
  await trustAtStart(farm);
  await goOn(farm, state, perform);
  // A publication that was cut short has taken its locks over by now; what is left guards nothing.
  await clearOwnLocks(farm.repo, true);
  await readOthers(farm, state);
}

/** Agents that the lost store knew of are ended: nothing tells where their attempts stood. Their commits are kept by refs. */
async function recoverStore(farm: WholeFarm, state: LoopState): Promise<void> {
  const strays = await endStrays(farm.id);
  await farm.terminals.endEarlier();
  await sweepTemporary(farm, () => true);
  await observeBoard(farm, state);
  await rebuild(farm, strays, heldByCommands(farm));
  await forgetLoss(farm.repo);
}

/** For attempts that outlived the last daemon. One that cannot be opened keeps nobody else from being answered. */
export async function reopenDoors(farm: WholeFarm): Promise<void> {
  for (const { id } of await openAttempts(farm.db))
    await farm.doors.open(id).catch((error: Error) => farm.log.warn({ attempt: id, error: error.message }, 'a door could not be opened'));
}

/** Room for the attempts of the starts between two stores. */
export const A_START = 100_000;

/**
 * Lets a store that was made anew, or put back from a copy, number its attempts beyond all that another store has started here: else an exit file that is
 * left, or a process that ends late, would speak for a new attempt. The epoch is in a ref, and no two starts have the same.
 */
async function numberAttempts(farm: Pick<Farm, 'db' | 'places' | 'lost' | 'epoch'>): Promise<void> {
  const { run, exits } = farm.places;
  const names = (await Promise.all([run, exits].map((folder) => readdir(folder).catch(() => [])))).flat();
  const highest = Math.max(0, ...names.map((name) => Number(/^a(\d{1,12})(\.|$)/.exec(name)?.[1] ?? 0)));
  const first = Math.max(highest + 1, farm.lost ? farm.epoch.n * A_START : 0);
  if (first > (await lastAttemptId(farm.db)) + 1) await numberFrom(farm.db, first);
}

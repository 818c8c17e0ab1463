import { rm, rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Serving } from '../api/server.ts';
import type { Coordination } from '../tell/coordination/follow.ts';
import type { Announcer } from './announce.ts';
import type { LoopState } from './leader/state.ts';
import type { Parts } from './parts.ts';
import type { Own } from './periodic-looks.ts';
import { asFarAsPossible, dropRemains, endEverything, isVacant } from './repository-removed.ts';
import type { InTmux } from './show-in-tmux.ts';
import type { WholeFarm } from './whole-farm.ts';

/** `all`: with its terminals; `alone`: agents work on; `replaced`: another daemon has taken over; `gone`: the repository was removed or moved. */
export type Ending = 'all' | 'alone' | 'replaced' | 'gone';

/** The faces of the farm that others look at without asking it. */
export interface Shown {
  folder?: Coordination;
  tmux?: InTmux;
  name?: Announcer;
}

export async function endParts(farm: WholeFarm, state: LoopState, { radar, agents, perform, feed }: Parts): Promise<void> {
  await radar.close();
  // Before all that agents are answered from: a line that goes dead is asked again by whoever waits for a person.
  await farm.hooks.close();
  await agents.close();
  for (const run of [...state.queue.running.values(), ...state.slowChecks.running.values()]) run.abort.abort();
  await state.queue.mending?.close();
  await perform.quiet();
  await feed.pump();
}

interface Running {
  readonly state: LoopState;
  readonly shown: Shown;
  readonly parts: Parts;
}

/** The end of a daemon whose repository was removed or moved: with all that it has started, and without writing anything. */
export async function leaveGone(
  farm: WholeFarm,
  own: Own,
  server: Serving,
  { state, shown, parts }: Running,
  first: readonly (() => Promise<unknown> | undefined)[],
): Promise<void> {
  farm.log.error({ root: farm.repo.root }, 'the repository was removed or moved: this daemon ends with all that it has started');
  server.refuse();
  for (const start of state.starting.values()) start.abort();
  await asFarAsPossible(
    farm,
    ...first,
    () => endEverything(farm),
    () => parts.post.stop(),
    () => endParts(farm, state, parts),
    () => shown.name?.end(),
    // What was just being started when the rest was ended.
    () => endEverything(farm),
    () => leavePlace(farm, own, server),
    () => dropRemains(farm.repo),
  );
}

/** Takes the sockets along, which may be outside of the repository. */
async function leavePlace(farm: WholeFarm, own: Own, server: Serving): Promise<void> {
  if (!isVacant(farm)) return;
  await farm.doors.end(true);
  await server.close(true);
  await rm(farm.terminals.socket, { force: true });
  await rmdir(dirname(own.socket)).catch(() => {});
}

export async function leave(farm: WholeFarm, own: Own, server: Serving, how: Ending): Promise<void> {
  // Alone: agents work on in their windows, and the next daemon finds them there.
  await (how === 'all' ? farm.terminals.end() : farm.terminals.detach());
  // The socket may be another daemon's by now, and closing ours would remove it; it goes with the process.
  if (how !== 'replaced') {
    await farm.doors.end(how === 'all');
    await server.close(how === 'all');
    await rmdir(dirname(own.socket)).catch(() => {});
  }
  await farm.db.destroy();
}

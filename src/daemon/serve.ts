import { socketPath } from '../api/place.ts';
import { ONE_HEAP } from '../api/start.ts';
import { storeUrl } from '../config/person.ts';
import { repositoryKey } from '../config/trust/store.ts';
import { waitForDaemonLock } from '../platform/daemon-lock.ts';
import { assertDescriptors } from '../platform/descriptors.ts';
import { endLastingGits } from '../platform/git/lasting/pool.ts';
import { findRepo } from '../platform/git/repository.ts';
import { checkMachine } from '../platform/machine.ts';
import { assertOwnState } from '../platform/own-state.ts';
import { makePlaces, placesOf } from '../platform/places.ts';
import { endStarter } from '../platform/starter/elsewhere.ts';
import { goneFrom } from './host/repository-gone.ts';
import { openFarm } from './open-farm.ts';
import { refuseAgents } from './refuse-agents.ts';
import { endIfGoneSoon } from './repository-removed.ts';
import { runFarm } from './run.ts';
import { standBy } from './stand-by.ts';

/**
 * All that a daemon does for a repository, until somebody ends it. `trusts`: the command that starts it trusts the repository as it is now.
 * `ready` is called when its socket answers, or that of the daemon which was faster. `standby` takes lines for people: the daemon begins when
 * nobody leads the farm any more.
 */
export async function serveRepository(root: string, trusts: boolean, ready: () => void, standby?: (line: string) => void): Promise<void> {
  // The word of one command, and what is meant for this process alone: nothing that is started here may inherit them.
  delete process.env['FURROW_TRUST'];
  const wanted = { FURROW_STORE: process.env['FURROW_STORE'] };
  delete process.env['FURROW_STORE'];
  if (process.env['MALLOC_ARENA_MAX'] === ONE_HEAP.MALLOC_ARENA_MAX) delete process.env['MALLOC_ARENA_MAX'];
  assertDescriptors();
  await checkMachine();
  const repo = await findRepo(root);
  await assertOwnState(repo);
  refuseAgents(repo);
  await makePlaces(placesOf(repo.root));
  const url = await storeUrl(wanted);
  const held = standby && (await standBy(repo, { url, key: repositoryKey(repo.gitDir), tell: standby }));
  const lock = held?.lock ?? (await waitForDaemonLock(repo));
  // Somebody else won: they answer on the same socket, so whoever started us has what it wanted.
  if (!lock) return ready();
  const { farm, store } = await openFarm(repo, { trusts, storeUrl: url, held });
  const isGone = goneFrom(repo);
  const own = { lock: lock.file, socket: socketPath(repo.root), followStore: store.follow };
  const how = await runFarm(farm, own, isGone, () => {
    void lock.ready();
    ready();
  });
  await store.release();
  await endLastingGits();
  await endStarter();
  lock.release();
  if (how === 'replaced') await endIfGoneSoon(farm, own.socket, isGone);
}

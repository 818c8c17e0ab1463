import { setTimeout as sleep } from 'node:timers/promises';
import { type DaemonLock, daemonOf, holdDaemonLock } from '../platform/daemon-lock.ts';
import type { Lead, Leader } from '../platform/engine/postgres/lead.ts';
import type { PostgresPlace } from '../platform/engine/postgres/place.ts';
import { FurrowError } from '../platform/error.ts';
import { identityOf } from '../platform/farm-file.ts';
import type { Repo } from '../platform/git/run.ts';
import { type ProcessId, signalProcess, source } from '../platform/process/identity.ts';
import { stoppedAt } from '../platform/stop-file.ts';
import { type LaterWatch, laterWatch, selfAt, storePlace } from './farm-store.ts';

/** The look for the end of a lease: no event tells that nobody renews it. */
const LOOK_MS = 500;
/** A daemon that was replaced and still runs ends by itself in this time: it renews its lease every 1.7 s. */
const ENDS_MS = 2500;
const AGAIN_MS = 20;

/** The beginning of a daemon that has waited for the end of another. */
export interface TakenOver {
  readonly lock: DaemonLock;
  readonly lead: Lead;
  readonly watch: LaterWatch;
}

interface Order {
  readonly url: string | undefined;
  readonly key: string;
  /** Takes a line for people. */
  readonly tell: (line: string) => void;
}

/** Waits until the farm has no leader any more, and leads it: the leader was killed, stopped or cut off, or gave the farm up. */
export async function standBy(repo: Repo, { url, key, tell }: Order): Promise<TakenOver> {
  const { postgres, there } = await storePlace(repo, identityOf(repo), url);
  if (!postgres || !there)
    throw new FurrowError('NO_STANDBY', 'only a farm whose store is on PostgreSQL can have a standby', {
      hint: 'furrow store move postgres://USER@HOST/DATABASE moves the store there',
    });
  const watch = laterWatch();
  for (let said = ''; ; await sleep(LOOK_MS)) {
    const found = await attempt(repo, postgres, key, watch).catch((error: Error) => {
      if (!(error instanceof FurrowError) || error.code !== 'STORE_AWAY') throw error;
      return error.message;
    });
    if (typeof found !== 'string') {
      tell('this daemon leads the farm now');
      return { lock: await lockAfter(repo, tell), lead: found, watch };
    }
    if (found !== said) tell(found);
    said = found;
  }
}

/** The lead, or a sentence that says why not. */
async function attempt(repo: Repo, place: PostgresPlace, key: string, watch: LaterWatch): Promise<Lead | string> {
  const { currentLeader, takeLead } = await import('../platform/engine/postgres/lead.ts');
  if (stoppedAt(repo.gitDir) !== undefined) return 'standing by: a person stopped the farm, and furrow work or furrow resume lets it go on';
  const leader = await currentLeader(place);
  if (leader.leftMs > 0) return waiting(leader);
  const taken = await takeLead(place, selfAt(repo, key, false), watch.over);
  return 'fence' in taken ? taken : waiting(taken);
}

/** It cannot end by itself. */
const isStopped = ({ pid }: ProcessId): boolean => source.one(pid)?.state === 'T';

const waiting = ({ holder }: Leader) => `standing by: this farm is led by ${holder}`;

/**
 * The lock of the repository. Nothing that the daemon before it still does counts from now on; it ends by itself, but for one that is
 * stopped or hangs: that one is killed. Agents are at work in their own windows, and stay.
 */
async function lockAfter(repo: Repo, tell: (line: string) => void): Promise<DaemonLock> {
  for (const began = performance.now(); ; await sleep(AGAIN_MS)) {
    const lock = await holdDaemonLock(repo);
    if (lock) return lock;
    const former = daemonOf(repo.gitDir);
    if (!former || (performance.now() - began < ENDS_MS && !isStopped(former))) continue;
    if (signalProcess(former, 'SIGKILL'))
      tell(`the daemon ${former.pid} was replaced and did not end by itself: it is killed; agents stay at work`);
  }
}

import type { HookServer } from '../api/hooks.ts';
import { repositoryKey } from '../config/trust/store.ts';
import { type Db, openAsIs } from '../journal/store.ts';
import { clockOn } from '../platform/clock.ts';
import { identityOf } from '../platform/farm-file.ts';
import type { Repo } from '../platform/git/run.ts';
import type { Log } from '../platform/log.ts';
import { placesOf } from '../platform/places.ts';
import { findKillMethod } from '../platform/process/jail.ts';
import { keepSecrets } from '../platform/redact.ts';
import { loadSecrets } from '../platform/secrets/store.ts';
import { EPOCH, type Epoch } from '../repo/merge/epoch.ts';
import { openInputs } from './farm/inputs/inputs.ts';
import { isStamped } from './foreign-store.ts';
import { type Ground, hostOf } from './host-of.ts';
import { hasNewRoot, placesNeedDaemon, storeNeedsDaemon } from './needs-daemon.ts';
import { START_PATIENCE_MS, scaleOf } from './open-farm.ts';
import type { WholeFarm } from './whole-farm.ts';

/** An epoch that no daemon ever took: git itself refuses every move of a ref that is made with it. */
const NONE: Epoch = { ref: EPOCH, oid: 'f'.repeat(40), n: 0, text: '' };

/** Nobody knocks: no agent is at work. */
const DEAF: HookServer = { port: 0, urlOf: () => '', mcpOf: () => '', tokenOf: () => '', close: async () => {} };

interface LookOrder {
  readonly log: Log;
  /** The command trusts the repository as it is now. */
  readonly trusts: boolean;
  /** The answer tells how agents' processes are ended, which has to be tried. */
  readonly examines: boolean;
}

/** Opens the farm for one look by whoever has the lock; the answer is why only a daemon can look, if so. */
export async function openToLook(found: Repo, order: LookOrder): Promise<WholeFarm | string> {
  const identity = identityOf(found);
  const why = placesNeedDaemon(found.root, identity);
  if (why !== undefined) return why;
  // A file that is there nevertheless is what a move has left.
  if (identity.file.postgres !== undefined) return 'the store is on PostgreSQL';
  const db = await openAsIs(placesOf(found.root).store);
  if (!db) return 'the store is of another version';
  try {
    const farm = await openWith(db, found, identity.file, order);
    if (typeof farm === 'string') await db.destroy();
    return farm;
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

async function openWith(
  db: Db,
  found: Repo,
  file: ReturnType<typeof identityOf>['file'],
  { log, trusts, examines }: LookOrder,
): Promise<WholeFarm | string> {
  const key = repositoryKey(found.gitDir);
  if (!(await isStamped(db, key))) return 'the store was not made here';
  const why = await storeNeedsDaemon(db);
  if (why !== undefined) return why;
  await loadSecrets(found.root);
  keepSecrets(process.env);
  const clock = clockOn(await scaleOf(db));
  const changes: Ground['changes'] = { apply() {} };
  const repo = { ...found, home: file.home! };
  const inputs = await openInputs({ db, repo: found, clock, onChange: (now) => changes.apply(now) });
  await inputs.settled(START_PATIENCE_MS);
  if (hasNewRoot(inputs.now, file)) return 'another worktree.root is in force';
  const ground = { id: file.id, repo, key, log, db, clock, inputs, changes, trusts, foreign: undefined, lost: false };
  const farm = await hostOf({
    ...ground,
    epoch: NONE,
    // Tried only where it is told: the try starts a process.
    killMethod: examines ? await findKillMethod() : 'marker',
    hooks: async () => DEAF,
  });
  // What agents did was taken over when they ended.
  return Object.assign(farm, { ownGits: { look: async () => {}, end: async () => undefined } });
}

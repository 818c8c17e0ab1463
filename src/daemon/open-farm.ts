import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type HookHandler, type HookServer, serveHooks } from '../api/hooks.ts';
import { hookSecretFile, repositoryKey } from '../config/trust/store.ts';
import { type Db, readMeta, writeMeta } from '../journal/store.ts';
import { type Clock, clockOn, monotonicMs, type Scale, scaleFor } from '../platform/clock.ts';
import { logExec } from '../platform/exec.ts';
import { type Identity, identityOf, writeFarmFile } from '../platform/farm-file.ts';
import { clearOwnLocks } from '../platform/git/own-locks.ts';
import { clearOwnRefs } from '../platform/git/planted-refs.ts';
import { listRefs } from '../platform/git/refs.ts';
import { ownRoots, reapLocks, repairWorktrees } from '../platform/git/repair.ts';
import { keepGits, type Repo } from '../platform/git/run.ts';
import { clearScratch } from '../platform/git/scratch.ts';
import { type Log, levelNamed, openLog } from '../platform/log.ts';
import { placesOf } from '../platform/places.ts';
import { bootId } from '../platform/process/boot-id.ts';
import { findKillMethod } from '../platform/process/jail.ts';
import { loadSecrets, rememberSecrets } from '../platform/secrets/store.ts';
import { startElsewhere } from '../platform/starter/elsewhere.ts';
import { secretNamed } from '../platform/user-folder.ts';
import { EPOCH, type Epoch, epochAt, nextEpoch } from '../repo/merge/epoch.ts';
import { openInputs } from './farm/inputs/inputs.ts';
import { type Held, type OpenStore, openFarmStore, type StorePlace, storePlace } from './farm-store.ts';
import { foreignStore, onlyRead } from './foreign-store.ts';
import { overwrittenEpoch } from './host/daemon-files.ts';
import { putFurrowOnPath } from './host/furrow-on-path.ts';
import { tmuxSocket } from './host/terminals.ts';
import { type Ground, hostOf } from './host-of.ts';
import { storeReport } from './leader/store-report.ts';
import { openHome } from './open-home.ts';
import { stopIfWentBack, storedEpoch, storeEpoch } from './went-back.ts';
import type { WholeFarm } from './whole-farm.ts';

/** Some weeks of a busy farm; the same again is kept as `daemon.log.1`. */
const LOG_BYTES = 16 * 1024 * 1024;

/** Enough for a file that was saved just now; one that looks cut short holds nobody up. */
export const START_PATIENCE_MS = 1000;

export interface OpenOrder {
  /** The command that starts the daemon trusts the repository as it is now. */
  readonly trusts: boolean;
  /** The database that the person wants the store in; `undefined`: a file. */
  readonly storeUrl: string | undefined;
  /** Of a daemon that has waited for the end of another. */
  readonly held: Held | undefined;
}

export interface OpenFarm {
  readonly farm: WholeFarm;
  readonly store: OpenStore;
}

/** Opens the farm of a daemon, which has the lock: what an earlier one left half done in the repository is put in order first. */
export async function openFarm(found: Repo, { trusts, storeUrl, held }: OpenOrder): Promise<OpenFarm> {
  const { root } = found;
  const log = openLog(1, levelNamed(process.env['FURROW_LOG']), { path: join(placesOf(root).logs, 'daemon.log'), most: LOG_BYTES });
  await loadSecrets(root);
  await rememberSecrets(root, process.env);
  logExec((line) => log.debug(line, 'exec'));
  keepGits();
  startElsewhere(root);
  await clearOwnRefs(found);
  await clearOwnLocks(found);
  await clearScratch(found);
  const key = repositoryKey(found.gitDir);
  const who = identityOf(found);
  const at = await storePlace(found, who, storeUrl);
  const identity = await noteLoss(found, named(who, at), at);
  const store = await openFarmStore(found, identity, at, { key, held });
  try {
    return {
      farm: await openOn(store.db, { found, identity, key, fresh: !at.there, postgres: at.postgres !== undefined, trusts, log }),
      store,
    };
  } catch (error) {
    await store.db.destroy();
    await store.release();
    throw error;
  }
}

interface Opened {
  readonly found: Repo;
  readonly identity: Identity;
  readonly key: string;
  /** The store was made just now. */
  readonly fresh: boolean;
  readonly postgres: boolean;
  readonly trusts: boolean;
  readonly log: Log;
}

async function openOn(db: Db, { found, identity, key, fresh, postgres, trusts, log }: Opened): Promise<WholeFarm> {
  const { root } = found;
  const foreign = await foreignStore(db, key, fresh, trusts);
  const clock = await openClock(db);
  if (postgres && !fresh && !foreign && !identity.file.lost) await stopIfWentBack(found, db, clock.now());
  const changes: Ground['changes'] = { apply() {} };
  const inputs = await openInputs({ db, repo: found, clock, onChange: (now) => changes.apply(now) });
  // A file that was saved while no daemon ran is what this one works by.
  await inputs.settled(START_PATIENCE_MS);
  const { config, target } = inputs.now;
  // Nothing that a store from elsewhere names is moved, ended or repaired.
  const order = {
    identity,
    asked: config.worktree.root,
    target: target.branch,
    tmuxAt: tmuxSocket,
    now: clock.now(),
  };
  const { id, repo } = foreign ? await onlyRead(found, identity) : await openHome(found, db, order);
  const places = placesOf(root, repo.home);
  if (!foreign) {
    await repairWorktrees(repo, ownRoots(repo));
    await reapLocks(repo, { trash: places.trash, journalledPids: [] });
  }
  await putFurrowOnPath(places);
  const ground = { id, repo, key, log, db, clock, inputs, changes, foreign, trusts };
  return hostOf({
    ...ground,
    lost: identity.file.lost === true,
    epoch: await (postgres ? takeEpochFirstStored(repo, db) : takeEpoch(repo, db)),
    killMethod: await findKillMethod(),
    hooks: async (hear) => openHooks({ db, secret: await hookSecret(key, log) }, hear, log),
  });
}

/** The farm's file names the database from now on. */
const named = (identity: Identity, { postgres }: StorePlace): Identity =>
  postgres ? { ...identity, file: { ...identity.file, postgres: postgres.name } } : identity;

/** A farm that has been here and has no store lost it. Written down before a new one is made, so that a kill in between forgets nothing. */
async function noteLoss(repo: Repo, identity: Identity, { there }: StorePlace): Promise<Identity> {
  const known = identity.before !== undefined || (await listRefs(repo, EPOCH)).length > 0;
  if (!known || there) return identity;
  const file = { ...identity.file, lost: true };
  await writeFarmFile(repo, { ...(identity.before ?? file), lost: true });
  return { ...identity, file };
}

/** The number is stored too: with the ref removed, the next one would begin anew. */
async function takeEpoch(repo: Repo, db: Db, above?: number): Promise<Epoch> {
  const tell = async (what: string) => void (await storeReport({ db, clock: { now: Date.now } }, overwrittenEpoch(what)));
  const epoch = await nextEpoch(repo, above ?? (await storedEpoch(db)), tell);
  await storeEpoch(db, epoch.n);
  return epoch;
}

/** Stored before it is in git: a store that is behind git went back in time. */
async function takeEpochFirstStored(repo: Repo, db: Db): Promise<Epoch> {
  const last = Math.max(await storedEpoch(db), await epochAt(repo));
  await storeEpoch(db, last + 1);
  return takeEpoch(repo, db, last);
}

/** The clock of the last daemon, if the machine has run since: its deadlines hold. */
async function openClock(db: Db): Promise<Clock> {
  const scale = await scaleOf(db);
  await writeMeta(db, 'clock', JSON.stringify(scale));
  return clockOn(scale);
}

/** The scale of the last daemon's clock, or a new one. */
export async function scaleOf(db: Db): Promise<Scale> {
  const stored = await readMeta(db, 'clock');
  return scaleFor(stored === undefined ? undefined : (JSON.parse(stored) as Scale), await bootId(), Date.now(), monotonicMs());
}

/** Kept in the user's own folder; where that cannot be written, for as long as this daemon lives. */
async function hookSecret(key: string, log: Log): Promise<string> {
  return secretNamed(hookSecretFile(key)).catch((error: Error) => {
    log.warn({ error: error.message }, 'the secret of hooks could not be stored, and holds until this daemon ends');
    return randomBytes(32).toString('hex');
  });
}

/** On the port of the last daemon, and with its secret: agents that outlived it knock there. */
async function openHooks({ db, secret }: { db: Db; secret: string }, handle: HookHandler, log: Log): Promise<HookServer> {
  const onBug = (error: unknown) => log.error({ error: (error as Error).stack }, 'a hook failed');
  const server = await serveHooks(secret, Number((await readMeta(db, 'hook.port')) ?? 0), handle, onBug);
  await writeMeta(db, 'hook.port', String(server.port));
  return server;
}

import { randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { closeSync, existsSync, fstatSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { passedEnvironment } from '../agent/environment.ts';
import { type HookHandler, type HookServer, serveHooks } from '../api/hooks.ts';
import { socketPath } from '../api/place.ts';
import { TRUST_FLAG } from '../api/start.ts';
import type { Config } from '../config/schema.ts';
import { failing } from '../farm/failing.ts';
import { type InForce, openInputs } from '../farm/inputs/inputs.ts';
import { taskReader } from '../farm/task-rows.ts';
import { openTrust } from '../farm/trust/keeper.ts';
import { knownProbe } from '../fence/known-probe.ts';
import { isolationOf, type Probe } from '../fence/level.ts';
import { starts } from '../host/agents/starts.ts';
import { doorsOf } from '../host/doors/doors.ts';
import { isBelowFarm } from '../host/doors/judge-peer.ts';
import { tellEpoch } from '../host/guard.ts';
import type { Host } from '../host/host.ts';
import { ownGits } from '../host/own-git.ts';
import { goneFrom } from '../host/repository-gone.ts';
import { onGrowth } from '../host/screens/printed.ts';
import { screensOf } from '../host/screens/screens.ts';
import { setupsOf } from '../host/setup.ts';
import { writeShim } from '../host/shim.ts';
import { terminals } from '../host/terminals.ts';
import { type Db, openStore, readMeta, writeMeta } from '../journal/store.ts';
import { EPOCH, type Epoch, nextEpoch } from '../merge/epoch.ts';
import { bootId, type Clock, clockOn, monotonicMs, type Scale, scaleFor } from '../platform/clock.ts';
import { holdDaemonLock } from '../platform/daemon-lock.ts';
import { assertDescriptors, wantOfDescriptors } from '../platform/descriptors.ts';
import { FurrowError } from '../platform/error.ts';
import { logExec } from '../platform/exec.ts';
import { type Identity, identityOf, writeFarmFile } from '../platform/farm-file.ts';
import { isAboutObjects } from '../platform/git/broken-refs.ts';
import { endLastingGits } from '../platform/git/lasting/pool.ts';
import { clearOwnLocks } from '../platform/git/own-locks.ts';
import { clearOwnRefs } from '../platform/git/planted.ts';
import { listRefs } from '../platform/git/refs.ts';
import { ownRoots, reapLocks, repairWorktrees } from '../platform/git/repair.ts';
import { findRepo } from '../platform/git/repository.ts';
import { keepGits, type Repo } from '../platform/git/run.ts';
import { clearScratch } from '../platform/git/scratch.ts';
import { isWaiting } from '../platform/git/waiting.ts';
import { type Log, levelNamed, openLog } from '../platform/log.ts';
import { checkMachine } from '../platform/machine.ts';
import { assertOwnState } from '../platform/own-state.ts';
import { makePlaces, placesOf } from '../platform/places.ts';
import { probeKillMethod } from '../platform/process/jail.ts';
import { findLimitWays } from '../platform/process/limits.ts';
import { canProve, ownLine } from '../platform/process/peer.ts';
import { packageFile } from '../platform/program.ts';
import { loadSecrets, rememberSecrets } from '../platform/secrets/store.ts';
import { stoppedAt } from '../platform/stop-file.ts';
import { secretNamed } from '../platform/user-folder.ts';
import { boardFor } from '../task/board.ts';
import { hookSecretFile, repositoryKey } from '../trust/store.ts';
import { foreignStore, onlyRead } from './foreign.ts';
import { endIfGoneSoon } from './gone.ts';
import { openHome } from './home.ts';
import { runFarm } from './run.ts';

const version = (JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as { version: string }).version;

/** Some weeks of a busy farm; the same again is kept as `daemon.log.1`. */
const LOG_BYTES = 16 * 1024 * 1024;

/** Enough for a file that was saved just now; one that looks cut short holds nobody up. */
const START_PATIENCE_MS = 1000;

/** The starter waits on descriptor 3 for `ready`, or for the reason why not. */
function tellStarter(line: string): void {
  try {
    if (!fstatSync(3).isFIFO() && !fstatSync(3).isSocket()) return;
    writeSync(3, `${line}\n`);
    closeSync(3);
  } catch {
    // Started by hand, without anybody waiting.
  }
}

const tmuxSocket = (root: string) => join(socketPath(root), '..', 'tmux.sock');

async function openFarm(found: Repo, trusts: boolean): Promise<Host> {
  const { root } = found;
  const log = openLog(1, levelNamed(process.env['FURROW_LOG']), { path: join(placesOf(root).logs, 'daemon.log'), most: LOG_BYTES });
  await loadSecrets(root);
  await rememberSecrets(root, process.env);
  logExec((line) => log.debug(line, 'exec'));
  keepGits();
  await clearOwnRefs(found);
  await clearOwnLocks(found);
  await clearScratch(found);
  let apply: (now: InForce) => void = () => {};
  const identity = await noteLoss(found);
  const key = repositoryKey(found.gitDir);
  const fresh = !existsSync(placesOf(root).store);
  const db = await openStore(placesOf(root).store);
  const foreign = await foreignStore(db, key, fresh, trusts);
  const clock = await openClock(db);
  const inputs = await openInputs({ db, repo: found, clock, onChange: (now) => apply(now) });
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
  await writeShim(places);
  let fence = await probeIfWanted(config);
  const doubts = { objects: true };
  const hearing = Promise.withResolvers<HookHandler>();
  const farm: Host = {
    id,
    version,
    repo,
    places,
    config,
    log,
    db,
    clock,
    doubts,
    failing: failing({ db, clock, log, heard: (error) => (doubts.objects ||= isAboutObjects(error) || isWaiting(error)) }),
    terminals: terminals(places, id, tmuxSocket(root), passedEnvironment(process.env), (lost) => farm.look(lost)),
    screens: screensOf({
      find: (agent) => farm.terminals.paneOf(agent),
      onPrinted: (agent, listener) => onGrowth(join(places.logs, agent), listener),
    }),
    epoch: await takeEpoch(repo, db),
    target: target.branch,
    inputs,
    isolation: isolationOf(config.isolation, usualLevel(), fence ?? TRYING),
    foreign: foreign !== undefined,
    stopped: () => stoppedAt(found.gitDir),
    trust: await openTrust({ key, foreign, pending: trusts, farm: () => farm }),
    killMethod: await probeKillMethod(),
    limitWays: findLimitWays(),
    hooks: await openHooks(
      { db, secret: await hookSecret(key, log) },
      async (...hook) => (await hearing.promise)(...hook),
      (error) => log.error({ error: (error as Error).stack }, 'a hook failed'),
    ),
    doors: doorsOf(() => farm, root),
    ownGits: ownGits(() => farm),
    setups: setupsOf(repo, places, () => farm),
    board: await boardFor(root, config.board),
    lost: identity.file.lost === true,
    troubles: new Map(),
    alarm: {},
    commandsRunning: new Map(),
    starts: starts(),
    cutShort: new EventEmitter().setMaxListeners(0),
    tasks: taskReader({ db, clock }),
    ownWrites: new Set(),
    hear: hearing.resolve,
    wake: () => {},
    post: { clock, alarm: {}, wake: () => {} },
    look: () => {},
  };
  const retry = (probe: Probe | undefined) => {
    fence = probe;
    apply(inputs.now);
  };
  apply = (now) => {
    farm.config = now.config;
    farm.target = now.target.branch;
    farm.isolation = isolationOf(now.config.isolation, usualLevel(), fence ?? TRYING);
    farm.trust.follow();
    farm.wake();
    // With another level than at the start it matters only now what this machine can do.
    if (fence === undefined && farm.isolation.refused) void probeIfWanted(now.config).then((probe) => retry(probe));
  };
  apply(inputs.now);
  return farm;
}

/** A person's own level, for repositories whose furrow.yaml names none. */
const usualLevel = () => process.env['FURROW_ISOLATION'];

const TRYING: Probe = { works: false, why: 'this machine is still being tried', next: 'the same command again, in a second' };

/** The machine is tried when it matters, and only once: 100 ms. */
async function probeIfWanted({ isolation }: Config): Promise<Probe | undefined> {
  const level = isolation ?? usualLevel();
  return level === 'none' ? undefined : knownProbe(level === 'strict');
}

/** A farm that has been here and has no store lost it. Written down before a new one is made, so that a kill in between forgets nothing. */
async function noteLoss(repo: Repo): Promise<Identity> {
  const identity = identityOf(repo);
  const known = identity.before !== undefined || (await listRefs(repo, EPOCH)).length > 0;
  if (!known || existsSync(placesOf(repo.root).store)) return identity;
  const file = { ...identity.file, lost: true };
  await writeFarmFile(repo, { ...(identity.before ?? file), lost: true });
  return { ...identity, file };
}

/** The number is stored too: with the ref removed, the next one would begin anew. */
async function takeEpoch(repo: Repo, db: Db): Promise<Epoch> {
  const epoch = await nextEpoch(repo, Number((await readMeta(db, 'epoch')) ?? 0), (what) => tellEpoch(db, what, Date.now()));
  await writeMeta(db, 'epoch', String(epoch.n));
  return epoch;
}

/** The clock of the last daemon, if the machine has run since: its deadlines hold. */
async function openClock(db: Db): Promise<Clock> {
  const stored = await readMeta(db, 'clock');
  const scale = scaleFor(stored === undefined ? undefined : (JSON.parse(stored) as Scale), await bootId(), Date.now(), monotonicMs());
  await writeMeta(db, 'clock', JSON.stringify(scale));
  return clockOn(scale);
}

/** Kept in the user's own folder; where that cannot be written, for as long as this daemon lives. */
async function hookSecret(key: string, log: Log): Promise<string> {
  return secretNamed(hookSecretFile(key)).catch((error: Error) => {
    log.warn({ error: error.message }, 'the secret of hooks could not be stored, and holds until this daemon ends');
    return randomBytes(32).toString('hex');
  });
}

/** On the port of the last daemon, and with its secret: agents that outlived it knock there. */
async function openHooks(
  { db, secret }: { db: Db; secret: string },
  handle: HookHandler,
  onBug: (error: unknown) => void,
): Promise<HookServer> {
  const server = await serveHooks(secret, Number((await readMeta(db, 'hook.port')) ?? 0), handle, onBug);
  await writeMeta(db, 'hook.port', String(server.port));
  return server;
}

/** A daemon that an agent started would be in the agent's own namespace and take its processes for the person's. */
function refuseAgents(repo: Repo): void {
  if (!canProve() || !isBelowFarm(ownLine(), identityOf(repo).file.id)) return;
  throw new FurrowError('NOT_A_PERSON', 'an agent cannot start the daemon of its farm; only a person can', {
    hint: 'wait until a person does',
  });
}

async function main(): Promise<void> {
  const root = process.argv[process.argv.indexOf('--repo') + 1];
  if (!root) throw new FurrowError('USAGE', 'the daemon needs --repo PATH');
  // The word of one command; nothing that is started here may inherit it.
  delete process.env['FURROW_TRUST'];
  assertDescriptors();
  await checkMachine();
  const repo = await findRepo(root);
  await assertOwnState(repo);
  refuseAgents(repo);
  await makePlaces(placesOf(repo.root));
  const lock = await holdDaemonLock(repo);
  // Somebody else won: they answer on the same socket, so the starter has what it wanted.
  if (!lock) return tellStarter('ready');
  const farm = await openFarm(repo, process.argv.includes(TRUST_FLAG));
  const isGone = goneFrom(repo);
  const how = await runFarm(farm, { lock: lock.file, socket: socketPath(repo.root) }, isGone, () => {
    void lock.ready();
    tellStarter('ready');
  });
  await endLastingGits();
  lock.release();
  if (how === 'replaced') await endIfGoneSoon(farm, isGone);
}

const FEW = { code: 'DAEMON_UNREACHABLE', hint: 'ulimit -n 1024, then the same command' };

main().then(
  () => process.exit(0),
  (error: unknown) => {
    const known = error instanceof FurrowError ? error : wantOfDescriptors(error, 'the daemon cannot go on: it', FEW);
    tellStarter(JSON.stringify({ error: { code: known?.code ?? 'BUG', message: known?.message ?? String(error), hint: known?.hint } }));
    // A known mistake is the operator's to mend; anything else is ours, and needs its stack.
    process.stderr.write(known ? `furrow: ${known.message}${known.hint ? `\n  try: ${known.hint}` : ''}\n` : `${(error as Error).stack}\n`);
    process.exit(1);
  },
);

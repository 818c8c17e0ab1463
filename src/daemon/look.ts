import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RESTARTS } from '../api/client.ts';
import type { Reply, Request } from '../api/contract.ts';
import type { LookProgram } from '../api/look-here.ts';
import { respond } from '../api/respond.ts';
import { daemonOf, type FoundDaemon, holdForLook } from '../platform/daemon-lock.ts';
import { faultPoint } from '../platform/fault.ts';
import { findRepo } from '../platform/git/repository.ts';
import type { Repo } from '../platform/git/run.ts';
import { type Log, levelNamed, openLog } from '../platform/log.ts';
import { assertOwnState } from '../platform/own-state.ts';
import { placesOf } from '../platform/places.ts';
import { canProve, ownPeer } from '../platform/process/peer.ts';
import { stoppedAt } from '../platform/stop-file.ts';
import { recogniseAtDesk } from './host/doors/recognise.ts';
import { mending } from './host/mending.ts';
import { observeBoard } from './leader/board/observe.ts';
import { freshState, type LoopState } from './leader/state.ts';
import { readOthers } from './leader/target/other-targets.ts';
import { lookAtTarget } from './leader/target/target.ts';
import { observeTrust } from './leader/trust.ts';
import { openDesk } from './look-context.ts';
import { openToLook } from './open-to-look.ts';
import { refuseAgents } from './refuse-agents.ts';
import type { WholeFarm } from './whole-farm.ts';

/** The patience with the look of another command, and with a daemon that ends: both have the lock meanwhile. */
const LOOK_MS = 10_000;
const ENDING_MS = 3000;
const AGAIN_MS = 10;

/** A daemon that meets the same mistake says it better: it is the operator's to mend, or has to be logged. */
const LEFT_TO_DAEMON: ReadonlySet<string> = new Set(['BUG', RESTARTS]);

export const look: LookProgram['look'] = async (root, request, send, answers) => {
  const reply = await lookOnce(root, request, send, answers).catch(() => undefined);
  // After the lock is free: whoever hears the answer may ask the next thing at once.
  if (reply) send(reply);
  return reply !== undefined;
};

async function lookOnce(...[root, request, send, answers]: Parameters<LookProgram['look']>): Promise<Reply | undefined> {
  const repo = await findRepo(root);
  await assertOwnState(repo);
  refuseAgents(repo);
  for (const began = performance.now(); ; await sleep(AGAIN_MS)) {
    const lock = await holdForLook(repo);
    if (lock)
      try {
        return await lookLocked(repo, lock.file, request, send);
      } finally {
        lock.release();
      }
    if (performance.now() - began > patienceFor(daemonOf(repo.gitDir)) || (await answers())) return undefined;
  }
}

/** A daemon that starts will answer. One that does not start and does not answer either is ending. */
function patienceFor(daemon: FoundDaemon | undefined): number {
  if (!daemon) return LOOK_MS;
  return daemon.startingAt === undefined ? ENDING_MS : 0;
}

type Send = (reply: Reply) => void;

async function lookLocked(repo: Repo, lock: string, request: Request, send: Send): Promise<Reply | undefined> {
  await faultPoint('look.locked');
  if (stoppedAt(repo.gitDir) === undefined) return undefined;
  const file = openSync(join(placesOf(repo.root).logs, 'daemon.log'), 'a', 0o600);
  const log = openLog(file, levelNamed(process.env['FURROW_LOG']));
  try {
    const farm = await openToLook(repo, { log, trusts: request.trust === true, examines: request.call === 'doctor' });
    if (typeof farm === 'string') return leave(log, farm);
    try {
      return await answer(farm, lock, request, send);
    } finally {
      await farm.db.destroy();
    }
  } catch (error) {
    return leave(log, (error as Error).message);
  } finally {
    closeSync(file);
  }
}

function leave(log: Log, why: string): undefined {
  log.info({ why }, 'a look at the stopped farm needs a daemon');
  return undefined;
}

/** Observes what a tick of a stopped farm observes, decides nothing, and makes the call. */
async function answer(farm: WholeFarm, lock: string, request: Request, send: Send): Promise<Reply | undefined> {
  const state = freshState(farm.target, () => mending(farm));
  const why = await observe(farm, state);
  if (why !== undefined) return leave(farm.log, why);
  const caller = await recogniseAtDesk(farm)(canProve() ? ownPeer() : 'unprovable');
  const desk = await openDesk(farm, state, lock);
  let said = false;
  const item = (value: unknown) => {
    said = true;
    send({ id: request.id, item: value });
  };
  try {
    const context = { caller, signal: new AbortController().signal, item, trust: request.trust === true };
    const reply = await respond(desk, request, () => context);
    if (!reply || (!said && 'error' in reply && LEFT_TO_DAEMON.has(reply.error.code))) return leave(farm.log, 'the look failed');
    return reply;
  } finally {
    await desk.close();
  }
}

async function observe(farm: WholeFarm, state: LoopState): Promise<string | undefined> {
  await farm.failing.load();
  await observeBoard(farm, state);
  await farm.inputs.look();
  await observeTrust(farm, state);
  if (!(await lookAtTarget(farm, state))) return 'the target or the head was moved';
  await readOthers(farm, state);
  return undefined;
}

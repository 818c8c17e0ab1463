import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { passedEnvironment } from '../agents/agent/environment.ts';
import type { HookHandler, HookServer } from '../api/hooks.ts';
import type { Config } from '../config/schema.ts';
import type { ForeignStore } from '../config/trust/standing.ts';
import type { Db } from '../journal/store.ts';
import type { Clock } from '../platform/clock.ts';
import { isWaiting } from '../platform/git/blocking-files.ts';
import { isAboutObjects } from '../platform/git/broken-refs.ts';
import type { Repo } from '../platform/git/run.ts';
import type { Log } from '../platform/log.ts';
import { placesOf } from '../platform/places.ts';
import type { KillMethod } from '../platform/process/jail.ts';
import { findLimitWays } from '../platform/process/limits.ts';
import { packageFile } from '../platform/program.ts';
import { stoppedAt } from '../platform/stop-file.ts';
import { knownSupport } from '../repo/fence/known-support.ts';
import { type FenceSupport, isolationOf } from '../repo/fence/level.ts';
import type { Epoch } from '../repo/merge/epoch.ts';
import { fillingAhead } from '../repo/worktree/fill-ahead.ts';
import { boardFor } from '../work/task/board.ts';
import { failing } from './farm/failing.ts';
import type { InForce, Inputs } from './farm/inputs/inputs.ts';
import { repositoryAt } from './farm/repository.ts';
import { taskReader } from './farm/task-rows.ts';
import { openTrust } from './farm/trust/keeper.ts';
import { starts } from './host/agents/starts.ts';
import { doorsOf } from './host/doors/doors.ts';
import { ownGits } from './host/own-git.ts';
import { onGrowth, screensOf } from './host/screens/screens.ts';
import { setupsOf } from './host/setup.ts';
import { terminals, tmuxSocket } from './host/terminals.ts';
import { leaderAnswers } from './leader/answers/answers.ts';
import { storeReport } from './leader/store-report.ts';
import type { WholeFarm } from './whole-farm.ts';

const version = (JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as { version: string }).version;

/** All that is found out about a farm before it can be put together. */
export interface Ground {
  readonly id: string;
  /** With its home. */
  readonly repo: Repo;
  /** The repository's name in the user's folder. */
  readonly key: string;
  readonly log: Log;
  readonly db: Db;
  readonly clock: Clock;
  readonly epoch: Epoch;
  readonly inputs: Inputs;
  /** Is told what came into force; nobody listens before the farm is there. */
  readonly changes: { apply(now: InForce): void };
  readonly foreign: ForeignStore | undefined;
  readonly lost: boolean;
  /** The command trusts the repository as it is now. */
  readonly trusts: boolean;
  readonly killMethod: KillMethod;
  /** Listens for agents' hooks. */
  readonly hooks: (hear: HookHandler) => Promise<HookServer>;
}

/** Puts a farm together with this machine. Nothing is started by it; it follows its configuration from now on. */
export async function hostOf(ground: Ground): Promise<WholeFarm> {
  const { id, repo, key, log, db, clock, inputs, foreign } = ground;
  const { config, target } = inputs.now;
  const places = placesOf(repo.root, repo.home);
  let fence = await supportIfWanted(config);
  const doubts = { objects: true };
  const hearing = Promise.withResolvers<HookHandler>();
  const farm: WholeFarm = {
    id,
    version,
    repo,
    git: repositoryAt(repo),
    places,
    config,
    log,
    db,
    clock,
    doubts,
    failing: failing({ db, clock, log, heard: (error) => (doubts.objects ||= isAboutObjects(error) || isWaiting(error)) }),
    terminals: terminals(places, id, tmuxSocket(repo.root), passedEnvironment(process.env), (lost) => farm.look(lost)),
    screens: screensOf({
      find: (agent) => farm.terminals.paneOf(agent),
      onPrinted: (agent, listener) => onGrowth(join(places.logs, agent), listener),
    }),
    epoch: ground.epoch,
    target: target.branch,
    inputs,
    isolation: isolationOf(config.isolation, usualLevel(), fence ?? TRYING),
    foreign: foreign !== undefined,
    stopped: () => stoppedAt(repo.gitDir),
    trust: await openTrust({ key, foreign, pending: ground.trusts, farm: () => farm }),
    killMethod: ground.killMethod,
    limitWays: findLimitWays(),
    hooks: await ground.hooks(async (...hook) => (await hearing.promise)(...hook)),
    doors: doorsOf(() => farm, repo.root),
    ownGits: ownGits(() => farm),
    setups: setupsOf(repo, places, () => farm),
    ahead: fillingAhead(repo, places.trash, (worktree, error) =>
      log.debug({ worktree, error: error.message }, 'it could not be filled ahead'),
    ),
    board: await boardFor(repo.root, config.board),
    lost: ground.lost,
    troubles: new Map(),
    alarm: {},
    commandsRunning: new Map(),
    checksInSetup: new Set(),
    starts: starts(),
    cutShort: new EventEmitter().setMaxListeners(0),
    tasks: taskReader({ db, clock }),
    ownWrites: new Set(),
    report: (report) => storeReport({ db, clock }, report),
    leader: leaderAnswers({
      ...{ db, clock, log },
      get config() {
        return farm.config;
      },
    }),
    hear: hearing.resolve,
    wake: () => {},
    post: { clock, alarm: {}, wake: () => {} },
    look: () => {},
  };
  const retry = (support: FenceSupport | undefined) => {
    fence = support;
    apply(inputs.now);
  };
  const apply = (now: InForce) => {
    farm.config = now.config;
    farm.target = now.target.branch;
    farm.isolation = isolationOf(now.config.isolation, usualLevel(), fence ?? TRYING);
    farm.trust.follow();
    farm.wake();
    // With another level than at the start it matters only now what this machine can do.
    if (fence === undefined && farm.isolation.refused) void supportIfWanted(now.config).then((support) => retry(support));
  };
  ground.changes.apply = apply;
  apply(inputs.now);
  return farm;
}

/** A person's own level, for repositories whose furrow.yaml names none. */
const usualLevel = () => process.env['FURROW_ISOLATION'];

const TRYING: FenceSupport = { works: false, why: 'this machine is still being tried', next: 'the same command again, in a second' };

/** The machine is tried when it matters, and only once: 100 ms. */
async function supportIfWanted({ isolation }: Config): Promise<FenceSupport | undefined> {
  const level = isolation ?? usualLevel();
  return level === 'none' ? undefined : knownSupport(level === 'strict');
}

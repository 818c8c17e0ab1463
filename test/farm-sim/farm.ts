import { EventEmitter } from 'node:events';
import { parseConfig } from '../../src/config/load.ts';
import type { Config } from '../../src/config/schema.ts';
import type { Desk } from '../../src/daemon/calls/context.ts';
import { handlersFor } from '../../src/daemon/calls/handlers.ts';
import { failing } from '../../src/daemon/farm/failing.ts';
import type { Farm } from '../../src/daemon/farm/farm.ts';
import { openFeed } from '../../src/daemon/farm/feed.ts';
import { storeTarget } from '../../src/daemon/farm/inputs/target.ts';
import { storeVersion, versionInForce } from '../../src/daemon/farm/inputs/versions.ts';
import type { Performer } from '../../src/daemon/farm/performer.ts';
import { taskReader } from '../../src/daemon/farm/task-rows.ts';
import { observeBoard } from '../../src/daemon/leader/board/observe.ts';
import { followConversations } from '../../src/daemon/leader/conversations.ts';
import { goOn } from '../../src/daemon/leader/go-on.ts';
import { ordersTo } from '../../src/daemon/leader/orders.ts';
import { freshState, type LoopState } from '../../src/daemon/leader/state.ts';
import { readOthers } from '../../src/daemon/leader/target/other-targets.ts';
import { tick } from '../../src/daemon/leader/tick.ts';
import { performer } from '../../src/daemon/perform.ts';
import { together } from '../../src/daemon/whole-acts.ts';
import type { Db } from '../../src/journal/store.ts';
import { placesOf } from '../../src/platform/places.ts';
import { readBoard } from '../../src/work/task/layout.ts';
import { simulatedHalves, simulatedHost } from './host.ts';
import { MOST_MINUTES } from './life.ts';
import { simulatedRepository } from './repository.ts';
import type { Life, Store } from './store.ts';
import type { Story } from './story.ts';
import type { World } from './world.ts';

const FURROW_YAML = ({ review, pushes }: Story) => `agent: robot
agents:
  robot: { driver: scripted, timeout: ${MOST_MINUTES}m }
  other: { driver: scripted, timeout: ${MOST_MINUTES}m }
checks: [{ name: tests, run: test }]
queue: { slots: 3, rerere: false${pushes ? ', remote: origin' : ''} }
resources: { db: 1 }
${review ? 'review: { tasks: all, kind: other }\n' : ''}`;

/** A daemon of the simulated farm: everything that a crash throws away. */
export interface Daemon {
  readonly farm: Farm;
  readonly state: LoopState;
  readonly perform: Performer;
  readonly calls: ReturnType<typeof handlersFor>;
  readonly desk: Desk;
  readonly db: Db;
  isAlive(): boolean;
  /** What the last daemon had begun is finished, as far as its refs go: only then it looks. */
  recovered: Promise<void>;
  /** It wants to look. */
  wanted: boolean;
  tick(): Promise<void>;
  kill(): void;
}

export interface Place {
  readonly root: string;
  readonly store: Store;
}

/** Starts a daemon on the store that the last one left. */
export async function startDaemon(world: World, place: Place, dies: Life['dies'] = () => undefined): Promise<Daemon> {
  const generation = ++world.generation;
  const life: Life = { alive: true, dies, killed: () => world.generation++ };
  const isAlive = () => life.alive && world.generation === generation;
  const db = await place.store.open(life);
  const clock = world.time.clockOf(isAlive);
  const text = FURROW_YAML(world.story);
  const config: Config = parseConfig(text, 'furrow.yaml');
  if (!(await versionInForce(db)))
    await db.transaction().execute(async (tx) => {
      await storeVersion(tx, { source: 'checkout', commit: null, text }, config, clock.now());
      await storeTarget(tx, { branch: 'main', reason: 'simulated' }, clock.now());
    });
  const log = { debug() {}, info() {}, warn: world.warn, error: world.warn };
  const epoch = { ref: 'refs/furrow/epoch', oid: String(generation), n: generation, text: '' };
  let daemon: Daemon;
  const wake = () => {
    if (isAlive()) daemon.wanted = true;
  };
  const farm = {
    id: 'feedbeef',
    version: '0',
    repo: { root: place.root, gitDir: `${place.root}/.git` },
    git: simulatedRepository(world.objects, (head) => world.heads.add(head)),
    places: placesOf(place.root),
    db,
    clock,
    log,
    epoch,
    lost: false,
    target: 'main',
    config,
    board: readBoard(`${place.root}/board`),
    isolation: { level: 'none' },
    inputs: {
      now: { config, target: { branch: 'main', since: 0, reason: '' }, checkout: { branch: 'main' } },
      look: async () => 0,
      settled: async () => {},
    },
    trust: { now: { yes: true }, pending: false, config: undefined, look: async () => {}, follow() {}, consents: new Set() },
    foreign: false,
    stopped: () => (world.isStopped() ? (world.stoppedAt ?? clock.awake()) : undefined),
    troubles: new Map(),
    alarm: {},
    ownWrites: new Set(),
    failing: failing({ db, clock, log }),
    cutShort: new EventEmitter(),
    tasks: taskReader({ db, clock }),
    wake,
    post: { clock, alarm: {}, wake },
  } as unknown as Farm;
  const mending = { mend: async () => ({ kind: 'conflict' }), learn() {}, tell: async () => {}, close: async () => {}, closed: false };
  const state = freshState('main', () => mending as never);
  const halves = simulatedHalves(world, farm, {
    epoch: generation,
    startOf(agent) {
      const control = new AbortController();
      state.starting.set(agent, control);
      return control.signal;
    },
    checkOf: ({ tree, check }) => state.queue.running.get(`${tree}:${check.id}`)?.abort.signal ?? new AbortController().signal,
    boardChanged: (file) => void state.boardFiles.add(file),
  });
  const perform = performer(farm, together({ farm, state, forget() {} }, halves));
  const feed = await openFeed(db);
  const host = simulatedHost(world);
  const post = { look: () => followConversations(farm) };
  const look = async () => {
    state.boardDirty = true;
    await observeBoard(farm, state);
  };
  const desk = {
    farm,
    state,
    perform,
    feed,
    orders: ordersTo(state),
    machine: {},
    looked: async () => {},
    readBoard: look,
    readTasks: look,
    ending: new AbortController().signal,
    requests: { answer: async () => false },
    quit() {},
  } as unknown as Desk;
  daemon = {
    farm,
    state,
    perform,
    calls: handlersFor(desk),
    desk,
    db,
    isAlive,
    wanted: true,
    recovered: Promise.resolve(),
    tick: () => tick(farm, state, { perform, feed, host, post }),
    kill() {
      life.alive = false;
      if (world.generation === generation) world.generation++;
    },
  };
  await farm.failing.load();
  daemon.recovered = goOn(farm, state, perform).then(() => readOthers(farm, state));
  return daemon;
}

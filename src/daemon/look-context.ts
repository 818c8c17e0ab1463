import type { Handlers } from '../api/server.ts';
import { admit } from './calls/before-each-call.ts';
import type { Desk } from './calls/context.ts';
import { handlersFor } from './calls/handlers.ts';
import { Carrier } from './calls/other-farms/carry.ts';
import { trusting } from './calls/trust-word.ts';
import { openFeed } from './farm/feed.ts';
import type { Performer } from './farm/performer.ts';
import { ownership } from './host/daemon-files.ts';
import { type RadarWatch, radarWatch } from './host/radar.ts';
import { ordersTo } from './leader/orders.ts';
import type { LoopState } from './leader/state.ts';
import { machineOf } from './machine-of.ts';
import type { WholeFarm } from './whole-farm.ts';

/** A call that reaches one of these was none that only looks. */
const refuse = async (): Promise<never> => {
  throw new Error('a look begins nothing');
};

/** Performs nothing. */
const NOBODY: Performer = {
  busy: () => false,
  flying: () => false,
  failing: () => false,
  start: refuse,
  recover: refuse,
  recoverHeld: refuse,
  underWay: () => [],
  review: refuse,
  quiet: async () => {},
};

const NO_HOSTS: Desk['hosts'] = {
  here: '',
  isBusy: () => false,
  invite: refuse,
  joined: async () => [],
  drain: refuse,
  remove: refuse,
  reopen: refuse,
  close: refuse,
};
const NO_PAGE: Desk['page'] = { open: refuse, reopen: refuse, isOpen: false, close: refuse, leave: refuse };

interface LookDesk {
  readonly handlers: Handlers;
  readonly onBug: (error: unknown) => void;
  close(): Promise<void>;
}

/** The calls of a daemon, over a farm of which everything was just observed and nothing is at work. */
export async function openDesk(farm: WholeFarm, state: LoopState, lock: string): Promise<LookDesk> {
  // Made for whoever asks: it clears its folder first.
  let radar: RadarWatch | undefined;
  const ask: RadarWatch['ask'] = (rows) => {
    radar ??= radarWatch(farm);
    return radar.ask(rows);
  };
  const observed = async () => {};
  const desk: Desk = {
    farm,
    pid: null,
    machine: machineOf(farm, { ask }),
    state,
    orders: ordersTo(state),
    feed: await openFeed(farm.db, farm.tasks),
    perform: NOBODY,
    carrier: new Carrier(farm),
    requests: { answer: refuse },
    looked: observed,
    readBoard: observed,
    readTasks: observed,
    readTasksAndTarget: observed,
    handlers: () => handlers,
    hosts: NO_HOSTS,
    page: NO_PAGE,
    ending: new AbortController().signal,
    quit() {},
  };
  const handlers: Handlers = admit(farm, trusting(desk, handlersFor(desk)), ownership({ lock, store: farm.places.store }));
  return {
    handlers,
    onBug: (error) => farm.log.error({ error: (error as Error).stack }, 'a look failed'),
    close: async () => radar?.close(),
  };
}

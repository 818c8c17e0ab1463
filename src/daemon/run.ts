import { MCP } from '../api/hooks.ts';
import { type Handlers, serve } from '../api/server.ts';
import type { SessionWatch } from '../platform/engine/postgres/one-session.ts';
import type { FurrowError } from '../platform/error.ts';
import { failed } from '../tell/mcp/protocol.ts';
import { allHosts } from './all-hosts.ts';
import { announcer } from './announce.ts';
import { admit } from './calls/before-each-call.ts';
import { coordination } from './calls/coordination.ts';
import { handlersFor } from './calls/handlers.ts';
import { answerTools } from './calls/mcp.ts';
import { reopenPage } from './calls/page.ts';
import { trusting } from './calls/trust-word.ts';
import { callsFromElsewhere } from './calls-from-elsewhere.ts';
import { endWhenUnused } from './end-when-unused.ts';
import type { JoinedAgents } from './farm/joined-hosts.ts';
import type { Agents } from './host/agents/agents.ts';
import { ownership } from './host/daemon-files.ts';
import { agentCaller, recogniseAtDesk } from './host/doors/recognise.ts';
import { mending } from './host/mending.ts';
import { tmuxFace } from './host/tmux-face.ts';
import { observeBoard } from './leader/board/observe.ts';
import { ordersTo } from './leader/orders.ts';
import { freshState, type LoopState } from './leader/state.ts';
import { isAsSeen } from './leader/target/target.ts';
import { tick } from './leader/tick.ts';
import { machineOf } from './machine-of.ts';
import { doorOf } from './page-door.ts';
import { openParts, type Parts } from './parts.ts';
import { type Own, startLooks } from './periodic-looks.ts';
import { recover, reopenDoors } from './recover.ts';
import { hostsOf } from './roster/hosts-of.ts';
import { showInTmux } from './show-in-tmux.ts';
import { type Ending, endParts, leave, leaveGone, type Shown } from './shutdown.ts';
import { startTelemetry } from './telemetry.ts';
import { startLoop, type Ticks } from './ticks.ts';
import { noteWentBack } from './went-back.ts';
import type { WholeFarm } from './whole-farm.ts';

/** Runs the farm until it is asked to end, and answers how. `ready` is called when it answers. */
export async function runFarm(farm: WholeFarm, own: Own, isGone: () => boolean, ready: () => void): Promise<Ending> {
  const state = freshState(farm.target, () => mending(farm));
  const ending = new AbortController();
  const shown: Shown = {};
  const elsewhere = Promise.withResolvers<JoinedAgents>();
  const parts = await openParts(farm, state, { looked: () => follow(shown), elsewhere: elsewhere.promise, ending: ending.signal });
  const driven = { ...parts, host: allHosts(parts.host, () => state.queue.hosts.agents) };
  const loop = startLoop(farm, () => timed(state.ticks, () => tick(farm, state, driven)).finally(() => follow(shown)));
  wakeBy(farm, loop, parts);
  await recover(farm, state, parts.perform);
  const asked = Promise.withResolvers<Ending>();
  const hosts = hostsOf({
    farm,
    head: () => ({ head: state.queue.head, target: state.queue.target }),
    answer: callsFromElsewhere(farm, () => admitted),
    use(joined) {
      state.queue.hosts = joined;
      elsewhere.resolve(joined.agents);
    },
  });
  const desk = {
    farm,
    pid: process.pid,
    machine: machineOf(farm, parts.radar),
    state,
    orders: ordersTo(state),
    feed: parts.feed,
    perform: parts.perform,
    carrier: parts.carrier,
    requests: parts.agents.requests,
    looked: loop.looked,
    readBoard() {
      state.boardDirty = true;
      return loop.looked();
    },
    async readTasks(files?: readonly string[]) {
      await farm.inputs.look();
      if (files) for (const file of files) state.boardFiles.add(file);
      else state.boardDirty = true;
      if (await observeBoard(farm, state)) loop.wake();
    },
    async readTasksAndTarget() {
      await desk.readTasks();
      if (state.targetLost || state.queue.target !== farm.target || !isAsSeen(farm, state)) await loop.looked();
    },
    handlers: () => admitted,
    hosts,
    page: doorOf(farm, () => admitted),
    ending: ending.signal,
    quit: asked.resolve,
  };
  const handlers = handlersFor(desk);
  // What a store from elsewhere says is not shown as the state of a farm.
  if (!farm.foreign) {
    shown.folder = coordination(desk);
    shown.tmux = showInTmux(desk, tmuxFace(farm.terminals, farm.places));
  }
  answerHooks(farm, parts.agents, answerTools(desk));
  const admitted: Handlers = admit(farm, trusting(desk, handlers), ownership({ lock: own.lock, store: farm.places.store }));
  farm.doors.answer(admitted);
  if (!farm.foreign) await reopenDoors(farm);
  await loop.looked();
  const server = await serve(own.socket, {
    handlers: admitted,
    recognise: recogniseAtDesk(farm),
    onBug: (error) => farm.log.error({ error: (error as Error).stack }, 'a call failed'),
  });
  if (!farm.foreign) shown.name = announcer(farm);
  shown.name?.follow();
  const looks = startLooks(farm, { state, host: parts.host }, own, {
    socket: () => server.again(),
    replaced: () => asked.resolve('replaced'),
    isGone,
    gone: () => asked.resolve('gone'),
  });
  const isBusy = () => server.clients() > 0 || desk.page.isOpen || hosts.isBusy() || parts.perform.underWay().length > 0;
  const unneeded = endWhenUnused(farm, isBusy, () => asked.resolve('all'));
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, () => asked.resolve('alone'));
  const telemetry = farm.foreign ? undefined : await startTelemetry(desk, admitted, process.env);
  if (!farm.foreign) {
    await reopenPage(farm, desk.page);
    await hosts.reopen();
  }
  own.followStore(storeWatch(farm, loop, () => asked.resolve('replaced')));
  ready();
  const how = await asked.promise;
  if (how === 'gone') {
    ending.abort();
    looks.close();
    unneeded.close();
    await leaveGone(farm, own, server, { state, shown, parts }, [
      () => loop.stop(),
      () => hosts.close(),
      () => desk.page.close(),
      () => telemetry?.close(),
    ]);
    return how;
  }
  await telemetry?.close();
  ending.abort();
  if (how !== 'replaced') server.refuse();
  for (const start of state.starting.values()) start.abort();
  looks.close();
  unneeded.close();
  await (how === 'all' ? desk.page.close() : desk.page.leave());
  await loop.stop();
  await hosts.close();
  await parts.post.stop();
  await endParts(farm, state, parts);
  // Another daemon shows its own state. A look that is still due would ask a store that is closed, and nobody would end what is left.
  await (how === 'replaced' ? shown.folder?.leave() : shown.folder?.close());
  await shown.tmux?.close();
  await shown.name?.end();
  await leave(farm, own, server, how);
  return how;
}

function follow({ folder, tmux, name }: Shown): void {
  folder?.follow();
  tmux?.follow();
  name?.follow();
}

async function timed(times: LoopState['ticks'], work: () => Promise<void>): Promise<void> {
  const begun = performance.now();
  await work().finally(() => times.observe((performance.now() - begun) / 1000));
}

function wakeBy(farm: WholeFarm, loop: Ticks, { post, host }: Parts): void {
  farm.wake = loop.wake;
  farm.post.wake = post.wake;
  farm.look = (lost) => {
    if (lost) host.serverLost();
    // An agent that ends has told so by its exit file; its pane goes right after.
    loop.wake(lost ? undefined : 'soon');
  };
}

const STORE = 'store';

/** A database that is away is told, and everything that needs it is tried again; a farm that another daemon leads is left. */
function storeWatch(farm: WholeFarm, loop: Ticks, over: () => void): SessionWatch {
  return {
    away(error) {
      farm.log.error({ error: error.message }, 'the store is away');
      farm.troubles.set(STORE, error.message);
    },
    back() {
      farm.log.info({}, 'the store is back');
      farm.troubles.delete(STORE);
      // Whoever waits for a look cuts a long rest short.
      void loop.looked();
    },
    over(error) {
      farm.log.error({ why: error.message }, 'this daemon ends');
      if ((error as FurrowError).code !== 'STORE_WENT_BACK') return over();
      void noteWentBack(farm.repo).finally(over);
    },
  };
}

/** From now on agents' hooks are answered, and furrow's tools are theirs. */
function answerHooks(farm: WholeFarm, agents: Agents, answer: ReturnType<typeof answerTools>): void {
  farm.hear(async (attempt, name, payload, signal) => {
    if (name !== MCP) return agents.hook(attempt, name, payload, signal);
    // An attempt that has ended is answered, too: its agent is told so.
    return agentCaller(farm, attempt).then(
      (caller) => answer(payload, { caller, signal, item() {} }),
      (error: FurrowError) => failed(payload, error),
    );
  });
}

import { MCP } from '../api/hooks.ts';
import { type Handlers, serve } from '../api/server.ts';
import type { FurrowError } from '../platform/error.ts';
import { forgetLoss } from '../platform/farm-file.ts';
import { clearOwnLocks } from '../platform/git/own-locks.ts';
import { failed } from '../tell/mcp/protocol.ts';
import { openAttempts } from '../work/attempt/store.ts';
import { sweepBoard } from '../work/task/sweep.ts';
import { announcer } from './announce.ts';
import { numberAttempts } from './attempt-numbers.ts';
import { admit } from './calls/admit.ts';
import { Carrier } from './calls/circle/carry.ts';
import { coordination } from './calls/coordination.ts';
import { handlersFor } from './calls/handlers.ts';
import { answerTools } from './calls/mcp.ts';
import { reopenPage } from './calls/page.ts';
import { queueState } from './calls/queue-state.ts';
import { statusCalls } from './calls/status.ts';
import { trusting } from './calls/trusting.ts';
import { type Feed, openFeed } from './farm/feed.ts';
import type { Performer } from './farm/performer.ts';
import { type Agents, superviseAgents } from './host/agents/agents.ts';
import { sweepTemporary } from './host/agents/temporary.ts';
import { HangingWatch } from './host/checks/hanging.ts';
import { ownership } from './host/daemon-files.ts';
import { agentCaller, recogniseAtDesk } from './host/doors/recognise.ts';
import type { Host } from './host/host.ts';
import { heldByCommands } from './host/lease-holders.ts';
import { mending } from './host/mending.ts';
import { type RadarWatch, radarWatch } from './host/radar.ts';
import { endStrays } from './host/strays.ts';
import { tellSupervisor } from './host/supervisor-log.ts';
import { tmuxFace } from './host/tmux-face.ts';
import { observeBoard } from './leader/board/observe.ts';
import { ordersTo } from './leader/orders.ts';
import { rebuild } from './leader/rebuild/rebuild.ts';
import { freshState, type LoopState } from './leader/state.ts';
import { readOthers } from './leader/target/other-targets.ts';
import { trustAtStart } from './leader/trust.ts';
import { type Ending, endParts, leave, leaveGone, type Shown } from './leave.ts';
import { type Own, startLooks } from './looks.ts';
import { type Driven, tick } from './loop.ts';
import { machineOf } from './machine-of.ts';
import { doorOf } from './page-door.ts';
import { performer } from './perform.ts';
import { type Post, startPost } from './post.ts';
import { showInTmux } from './show-in-tmux.ts';
import { startTelemetry } from './telemetry.ts';
import { startLoop, type Ticks } from './ticks.ts';
import { endUnneeded } from './unneeded.ts';
import { actsOf } from './whole-acts.ts';

/** Runs the farm until it is asked to end, and answers how. `ready` is called when it answers. */
export async function runFarm(farm: Host, own: Own, isGone: () => boolean, ready: () => void): Promise<Ending> {
  const state = freshState(farm.target, () => mending(farm));
  const ending = new AbortController();
  const shown: Shown = {};
  const parts = await openParts(farm, state, shown, ending.signal);
  const loop = startLoop(farm, () => timed(state.ticks, () => tick(farm, state, parts)).finally(() => follow(shown)));
  wakeBy(farm, state, loop, parts.post);
  await goOn(farm, state, parts.perform);
  const asked = Promise.withResolvers<Ending>();
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
    async readTasks() {
      await farm.inputs.look();
      state.boardDirty = true;
      if (await observeBoard(farm, state)) loop.wake();
    },
    handlers: () => admitted,
    page: doorOf(farm, () => admitted),
    ending: ending.signal,
    quit: asked.resolve,
  };
  const handlers = handlersFor(desk);
  // What a store from elsewhere says is not shown as the state of a farm.
  if (!farm.foreign) {
    shown.folder = coordination(desk);
    shown.tmux = showInTmux(desk, { ...statusCalls(desk), ...queueState(desk) }, tmuxFace(farm.terminals, farm.places));
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
  const looks = startLooks(farm, state, own, {
    socket: () => server.again(),
    replaced: () => asked.resolve('replaced'),
    isGone,
    gone: () => asked.resolve('gone'),
  });
  const isBusy = () => server.clients() > 0 || desk.page.isOpen || parts.perform.underWay().length > 0;
  const unneeded = endUnneeded(farm, isBusy, () => asked.resolve('all'));
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, () => asked.resolve('alone'));
  const telemetry = farm.foreign ? undefined : await startTelemetry(desk, admitted, process.env);
  if (!farm.foreign) await reopenPage(farm, desk.page);
  ready();
  const how = await asked.promise;
  if (how === 'gone') {
    ending.abort();
    looks.close();
    unneeded.close();
    await leaveGone(farm, own, server, { state, shown, parts }, [() => loop.stop(), () => desk.page.close(), () => telemetry?.close()]);
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

async function openParts(
  farm: Host,
  state: LoopState,
  shown: Shown,
  ending: AbortSignal,
): Promise<Driven & { post: Post; carrier: Carrier }> {
  const feed = await openFeed(farm.db);
  let agents: Agents | undefined;
  const perform = performer(
    farm,
    actsOf(farm, state, () => agents, ending),
  );
  agents = superviseAgents(farm, perform);
  const radar = radarWatch(farm, state);
  showEvents(farm, feed, radar);
  const carrier = new Carrier(farm);
  const post = startPost(farm, { feed, deliver: agents.deliver, carry: () => carrier.follow(), looked: () => follow(shown) });
  return { feed, perform, agents, radar, carrier, post, hanging: new HangingWatch(farm) };
}

/** Every event about an agent is shown in its supervisor pane; progress is a reason to look at its worktree. */
function showEvents(farm: Host, feed: Feed, radar: RadarWatch): void {
  const lines = new Map<string, string[]>();
  feed.on((event) => {
    if (!event.agent) return;
    const own = lines.get(event.agent) ?? [];
    lines.set(event.agent, own);
    own.push(`${event.at.slice(11, 19)} ${event.text}\n`);
    if (event.kind === 'agent.progress') radar.touch(event.agent);
  });
  feed.onPump(() => {
    for (const [agent, own] of lines) tellSupervisor(farm.places, agent, own.join(''));
    lines.clear();
  });
}

function wakeBy(farm: Host, state: LoopState, loop: Ticks, post: Post): void {
  farm.wake = loop.wake;
  farm.post.wake = post.wake;
  farm.look = (lost) => {
    if (lost) {
      state.panesDirty = true;
      state.windows.clear();
    }
    loop.wake();
  };
}

/** Goes on with what an earlier daemon left, before anything is decided anew. */
async function goOn(farm: Host, state: LoopState, perform: Performer): Promise<void> {
  if (farm.foreign) return farm.failing.load();
  await numberAttempts(farm);
  if (farm.lost) await recoverStore(farm, state);
  await farm.failing.load();
  await farm.terminals.attach();
  await sweepBoard(farm.board);
  await trustAtStart(farm);
  await perform.recover(['landing.land', 'landing.publish']);
  // A publication that was cut short has taken its locks over by now; what is left guards nothing.
  await clearOwnLocks(farm.repo, true);
  await readOthers(farm, state);
}

/** Agents that the lost store knew of are ended: nothing tells where their attempts stood. Their commits are kept by refs. */
async function recoverStore(farm: Host, state: LoopState): Promise<void> {
  const strays = await endStrays(farm.id);
  await farm.terminals.end();
  await sweepTemporary(farm, () => true);
  await observeBoard(farm, state);
  await rebuild(farm, strays, heldByCommands(farm));
  await forgetLoss(farm.repo);
}

/** For attempts that outlived the last daemon. One that cannot be opened keeps nobody else from being answered. */
async function reopenDoors(farm: Host): Promise<void> {
  for (const { id } of await openAttempts(farm.db))
    await farm.doors.open(id).catch((error: Error) => farm.log.warn({ attempt: id, error: error.message }, 'a door could not be opened'));
}

/** From now on agents' hooks are answered, and furrow's tools are theirs. */
function answerHooks(farm: Host, agents: Agents, answer: ReturnType<typeof answerTools>): void {
  farm.hear(async (attempt, name, payload, signal) => {
    if (name !== MCP) return agents.hook(attempt, name, payload, signal);
    // An attempt that has ended is answered, too: its agent is told so.
    return agentCaller(farm, attempt).then(
      (caller) => answer(payload, { caller, signal, item() {} }),
      (error: FurrowError) => failed(payload, error),
    );
  });
}

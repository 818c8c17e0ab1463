import { rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { MCP } from '../api/hooks.ts';
import { type Handlers, serve } from '../api/server.ts';
import { admit } from '../calls/admit.ts';
import { answers } from '../calls/answer.ts';
import { approvals } from '../calls/approve.ts';
import { board } from '../calls/board.ts';
import { config } from '../calls/config.ts';
import type { Desk } from '../calls/context.ts';
import { diff } from '../calls/diff.ts';
import { folders } from '../calls/folder.ts';
import { logs } from '../calls/logs.ts';
import { mcpFor } from '../calls/mcp.ts';
import { messages } from '../calls/messages.ts';
import { preflight } from '../calls/preflight.ts';
import { queue } from '../calls/queue.ts';
import { queueState } from '../calls/queue-state.ts';
import { reports } from '../calls/reports.ts';
import { statusCalls } from '../calls/status.ts';
import { steer } from '../calls/steer.ts';
import { takeOver } from '../calls/take.ts';
import { upkeep } from '../calls/upkeep.ts';
import { openFeed } from '../farm/feed.ts';
import { type Agents, superviseAgents } from '../host/agents/agents.ts';
import { sweepTemporary } from '../host/agents/temporary.ts';
import { guard, ownership } from '../host/guard.ts';
import type { Host } from '../host/host.ts';
import { watchExits } from '../host/look-at-attempts.ts';
import { mending } from '../host/mending.ts';
import { radarWatch } from '../host/radar.ts';
import { writeShim } from '../host/shim.ts';
import { endStrays } from '../host/strays.ts';
import { tellSupervisor } from '../host/supervisor-log.ts';
import { sweeper } from '../host/sweep.ts';
import { observeBoard } from '../leader/board/observe.ts';
import { emptyMemory } from '../leader/queue/memory.ts';
import { rebuild } from '../leader/rebuild/rebuild.ts';
import { prune } from '../leader/retention.ts';
import { slowCheckWatch } from '../leader/slow-check-watch.ts';
import { freshTarget, type LoopState } from '../leader/state.ts';
import { readOthers } from '../leader/target/other-targets.ts';
import { renewLog } from '../platform/db.ts';
import { forgetLoss } from '../platform/farm-file.ts';
import { clearOwnLocks } from '../platform/git/own-locks.ts';
import { makePlaces } from '../platform/places.ts';
import { sweepBoard } from '../task/sweep.ts';
import { watchBoard } from '../task/watch.ts';
import { actsOf } from './acts.ts';
import { tick } from './loop.ts';
import { performer } from './perform.ts';
import { startLoop } from './ticks.ts';

/** A look that costs a few `stat` calls, so that a lost hint costs a second and no more. */
const SWEEP_MS = 1000;
/** Sweeps between two looks for folders of the board that nobody told us of. */
const FOLLOW_EVERY = 10;
const GUARD = { key: 'guard', what: "look after the daemon's own files", next: 'furrow doctor' };
const SWEEP = { key: 'sweep', what: 'look for changes that nobody told of', next: 'furrow doctor' };

/** Agents that the lost store knew of are ended: nothing tells where their attempts stood. Their commits are kept by refs. */
async function recoverStore(farm: Host, state: LoopState): Promise<void> {
  const strays = await endStrays(farm.id);
  await farm.terminals.end();
  await sweepTemporary(farm, () => true);
  await observeBoard(farm, state);
  await rebuild(farm, strays);
  await forgetLoss(farm.repo);
}

/** Runs the farm until it is asked to end. The outer promise is kept when it answers, the inner one when it has ended. */
export async function runFarm(farm: Host, { lock, socket }: { lock: string; socket: string }, ready: () => void): Promise<Promise<void>> {
  const held: LoopState['held'] = new Map();
  const memory = emptyMemory(() => mending(farm), farm.target, held);
  const state: LoopState = {
    boardDirty: true,
    boardFiles: new Set(),
    scan: undefined,
    boardTrouble: undefined,
    landedAsked: -1,
    boardWaits: false,
    panesDirty: true,
    stopNow: false,
    ...freshTarget(),
    others: new Map(),
    base: '',
    baseSeen: '',
    baseTarget: '',
    windows: new Set(),
    pids: [],
    starting: new Map(),
    held,
    queue: memory,
    preflightTold: 0,
    slowChecks: slowCheckWatch(),
  };
  const feed = await openFeed(farm.db);
  const ending = new AbortController();
  let agents: Agents | undefined;
  const perform = performer(
    farm,
    actsOf(farm, state, () => agents, ending.signal),
  );
  agents = superviseAgents(farm, perform);
  const radar = radarWatch(farm, state);
  feed.on((event) => {
    if (!event.agent) return;
    tellSupervisor(farm.places, event.agent, `${event.at.slice(11, 19)} ${event.text}`);
    if (event.kind === 'agent.progress') radar.touch(event.agent);
  });

  const loop = startLoop(farm, () => tick(farm, state, { perform, feed, radar, agents }));
  farm.wake = loop.wake;
  farm.look = (lost) => {
    if (lost) {
      state.panesDirty = true;
      state.windows.clear();
    }
    loop.wake();
  };
  if (farm.lost) await recoverStore(farm, state);
  await farm.failing.load();
  await farm.terminals.attach();
  await sweepBoard(farm.board);
  await perform.recover(['landing.land', 'landing.publish']);
  // A publication that was cut short has taken its locks over by now; what is left guards nothing.
  await clearOwnLocks(farm.repo, true);
  await readOthers(farm, state);

  let quit: (how: 'all' | 'alone' | 'replaced') => void = () => {};
  const asked = new Promise<'all' | 'alone' | 'replaced'>((resolve) => {
    quit = resolve;
  });
  const readBoard = () => {
    state.boardDirty = true;
    return loop.looked();
  };
  const desk: Desk = {
    farm,
    host: farm,
    feed,
    state,
    perform,
    radar,
    requests: agents.requests,
    looked: loop.looked,
    readBoard,
    ending: ending.signal,
    quit,
  };
  const handlers: Handlers = {
    ...statusCalls(desk),
    ...config(desk),
    ...board(desk),
    ...steer(desk),
    ...answers(desk),
    ...takeOver(desk),
    ...approvals(desk),
    ...messages(desk),
    ...queue(desk),
    ...queueState(desk),
    ...logs(desk),
    ...folders(desk),
    ...diff(desk),
    ...preflight(desk),
    ...reports(desk),
    ...upkeep(desk),
  };
  const tools = mcpFor(farm, handlers);
  farm.hear(async (attempt, name, payload, signal) => {
    if (name !== MCP) return agents.hook(attempt, name, payload, signal);
    const running = await agents.running.find(attempt);
    return running && tools(running, payload);
  });
  await loop.looked();
  const server = await serve(socket, admit(farm, handlers, ownership({ lock, store: farm.places.store })), (error) =>
    farm.log.error({ error: (error as Error).stack }, 'a call failed'),
  );
  let exits = watchExits(farm.places, farm.wake);
  const files = watchBoard(
    () => farm.board,
    (changed) => {
      if (changed) for (const file of changed) state.boardFiles.add(file);
      else state.boardDirty = true;
      farm.wake();
    },
  );
  const look = sweeper(farm, state, prune);
  const own = { lock, socket, store: farm.places.store, wal: `${farm.places.store}-wal`, run: farm.places.run };
  const guarded = guard(farm, own, {
    wal: () => renewLog(farm.db),
    async run() {
      await makePlaces(farm.places);
      await writeShim(farm.places);
      exits.close();
      exits = watchExits(farm.places, farm.wake);
      await farm.terminals.again();
    },
    socket: () => server.again(),
    end: () => quit('replaced'),
  });
  const looks = [
    [GUARD, guarded],
    [SWEEP, look],
  ] as const;
  let sweeps = 0;
  let watched = farm.board.dir;
  const sweep = setInterval(() => {
    if (++sweeps % FOLLOW_EVERY === 0 || watched !== farm.board.dir) files.follow();
    watched = farm.board.dir;
    for (const [doing, one] of looks)
      one().then(
        () => farm.failing.worked(doing.key),
        (error: Error) => {
          farm.log.warn({ error: error.message }, 'a look failed');
          return farm.failing.failed(doing, error, SWEEP_MS);
        },
      );
  }, SWEEP_MS);
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, () => quit('alone'));
  ready();

  const end = async () => {
    const how = await asked;
    ending.abort();
    if (how !== 'replaced') server.refuse();
    for (const start of state.starting.values()) start.abort();
    clearInterval(sweep);
    exits.close();
    files.close();
    await loop.stop();
    await radar.close();
    // Before all that agents are answered from: a line that goes dead is asked again by whoever waits for a person.
    await farm.hooks.close();
    await agents.close();
    for (const run of [...memory.running.values(), ...state.slowChecks.running.values()]) run.abort.abort();
    await memory.mending?.close();
    await perform.quiet();
    await feed.pump();
    // Alone: agents work on in their windows, and the next daemon finds them there.
    await (how === 'all' ? farm.terminals.end() : farm.terminals.detach());
    // The socket may be another daemon's by now, and closing ours would remove it; it goes with the process.
    if (how !== 'replaced') {
      await server.close(how === 'all');
      await rmdir(dirname(socket)).catch(() => {});
    }
    await farm.db.destroy();
  };
  return end();
}

import { readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type Handlers, serve } from '../api/server.ts';
import { loadConfig } from '../config/load.ts';
import { raise, settle } from '../journal/question.ts';
import { isAlive } from '../platform/process/identity.ts';
import { sweepBoard } from '../task/sweep.ts';
import { watchBoard } from '../task/watch.ts';
import { attemptEnd } from './acts/attempt-end.ts';
import { attemptStart } from './acts/attempt-start.ts';
import { boardWrite } from './acts/board-write.ts';
import { checkRun } from './acts/check-run.ts';
import { disposeAct } from './acts/dispose.ts';
import { landAct } from './acts/land.ts';
import { publishAct } from './acts/publish.ts';
import { board } from './calls/board.ts';
import type { Desk } from './calls/context.ts';
import { queue } from './calls/queue.ts';
import { see } from './calls/see.ts';
import { steer } from './calls/steer.ts';
import { upkeep } from './calls/upkeep.ts';
import { words } from './calls/words.ts';
import type { Farm } from './farm.ts';
import { openFeed } from './feed.ts';
import { tick } from './loop.ts';
import { fingerprint, watchExits } from './observe.ts';
import { performer } from './perform.ts';
import type { QueueMemory } from './queue.ts';
import type { LoopState } from './state.ts';
import { tellSupervisor } from './supervisor-log.ts';
import { published } from './target.ts';

/** A look that costs a few `stat` calls, so that a lost hint costs a second and no more. */
const SWEEP_MS = 1000;
const AGAIN_MS = 2000;

export function actsOf(farm: Farm, state: LoopState) {
  const signal = (key: string) => state.queue.running.get(key)?.abort.signal ?? new AbortController().signal;
  return [
    attemptStart(farm),
    attemptEnd(farm),
    boardWrite(farm, () => {
      state.boardDirty = true;
    }),
    checkRun(farm, signal),
    landAct(farm, state.queue),
    publishAct(farm, (result) => published(farm, state, result)),
    disposeAct(farm),
  ];
}

/** Runs the farm until it is asked to end. The outer promise is kept when it answers, the inner one when it has ended. */
export async function runFarm(farm: Farm, socket: string, ready: () => void): Promise<Promise<void>> {
  const memory: QueueMemory = { head: '', headTree: '', stacked: new Map(), stacking: new Set(), running: new Map(), halted: undefined };
  const state: LoopState = {
    boardDirty: true,
    scan: undefined,
    panesDirty: true,
    stopNow: false,
    targetSeen: '',
    targetLost: true,
    targetAt: '',
    windows: new Set(),
    publishing: { reason: null, triedAt: 0, at: '' },
    queue: memory,
  };
  const feed = await openFeed(farm.db);
  const perform = performer(farm, actsOf(farm, state));
  feed.on((event) => {
    if (event.agent) tellSupervisor(farm.places, event.agent, `${event.at.slice(11, 19)} ${event.text}`);
  });

  const loop = startLoop(farm, () => tick(farm, state, perform, feed));
  farm.wake = loop.wake;
  farm.look = (lost) => {
    if (lost) {
      state.panesDirty = true;
      state.windows.clear();
    }
    loop.wake();
  };
  await farm.terminals.attach();
  await sweepBoard(farm.board);
  await perform.recover();

  let quit: Desk['quit'] = () => {};
  const asked = new Promise<'all' | 'alone'>((resolve) => {
    quit = resolve;
  });
  const desk: Desk = { farm, feed, state, perform, looked: loop.looked, quit };
  const handlers: Handlers = { ...see(desk), ...board(desk), ...steer(desk), ...queue(desk), ...words(desk), ...upkeep(desk) };
  await loop.looked();
  const server = await serve(socket, handlers, (error) => farm.log.error({ error: (error as Error).stack }, 'a call failed'));
  const exits = watchExits(farm.places, farm.wake);
  const files = watchBoard(farm.board, () => {
    state.boardDirty = true;
    farm.wake();
  });
  const sweep = setInterval(() => {
    look(farm, state).catch((error: Error) => farm.log.warn({ error: error.message }, 'a look failed'));
  }, SWEEP_MS);
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, () => quit('alone'));
  ready();

  const end = async () => {
    const how = await asked;
    clearInterval(sweep);
    exits.close();
    files.close();
    await loop.stop();
    for (const run of memory.running.values()) run.abort.abort();
    await perform.quiet();
    await feed.pump();
    // Alone: agents work on in their windows, and the next daemon finds them there.
    await (how === 'all' ? farm.terminals.end() : farm.terminals.detach());
    await server.close();
    await farm.db.destroy();
  };
  return end();
}

let lastLook = '';
let lastConfig = '';
let lastScan = 0;
const RESCAN_MS = 10_000;

/** Wakes the loop when something it was not told of may have changed. */
async function look(farm: Farm, state: LoopState): Promise<void> {
  const config = fingerprint(`${farm.repo.root}/furrow.yaml`);
  if (lastConfig && config !== lastConfig) await reload(farm);
  lastConfig = config;
  const now = farm.clock.now();
  if (now - lastScan > RESCAN_MS) {
    lastScan = now;
    state.boardDirty = true;
    await sweepAttempts(farm);
  }
  const live = await farm.db.selectFrom('attempt').select(['pid', 'pid_start']).where('state', '=', 'running').execute();
  const dead = live.filter((row) => row.pid !== null && !(row.pid_start && isAlive({ pid: row.pid, start: row.pid_start }))).length;
  const seen = `${dead} ${fingerprint(`${farm.repo.gitDir}/refs/heads/${farm.target}`, `${farm.repo.gitDir}/packed-refs`, `${farm.repo.gitDir}/index`)}`;
  if (seen !== lastLook || dead > 0 || state.boardDirty) farm.wake();
  lastLook = seen;
}

/** Files of attempts that have ended and were settled: nobody will ask for them again. The logs stay. */
async function sweepAttempts(farm: Farm): Promise<void> {
  const live = new Set((await farm.db.selectFrom('attempt').select('id').where('state', '!=', 'ended').execute()).map((row) => row.id));
  for (const folder of [farm.places.run, farm.places.exits]) {
    for (const name of await readdir(folder)) {
      const attempt = /^a(\d+)(\.|$)/.exec(name)?.[1];
      if (attempt && !live.has(Number(attempt))) await unlink(join(folder, name)).catch(() => {});
    }
  }
}

/** A changed configuration holds from the next decision on; a wrong one is a question, and the old one stays. */
async function reload(farm: Farm): Promise<void> {
  const now = farm.clock.now();
  try {
    farm.config = await loadConfig(farm.repo.root);
    await farm.db.transaction().execute((tx) => settle(tx, 'config', 'furrow.yaml', 'mended', now));
  } catch (error) {
    await farm.db
      .transaction()
      .execute((tx) => raise(tx, { kind: 'config', subject: 'furrow.yaml', reason: (error as Error).message }, now));
  }
}

/** One tick at a time; a wake during one makes it run once more. */
function startLoop(farm: Farm, once: () => Promise<void>) {
  let wanted = false;
  let stopped = false;
  let running: Promise<void> | undefined;
  const turn = async () => {
    while (wanted && !stopped) {
      wanted = false;
      await once().then(
        () => {
          farm.trouble = undefined;
        },
        (error: unknown) => {
          // A full disk, a broken store: nothing was half done. It is said, and tried again.
          farm.trouble = (error as Error).message;
          farm.log.error({ error: (error as Error).stack }, 'a tick failed');
          setTimeout(wake, AGAIN_MS).unref();
        },
      );
    }
  };
  const wake = () => {
    wanted = true;
    if (!stopped)
      running ??= turn().finally(() => {
        running = undefined;
        if (wanted) wake();
      });
  };
  return {
    wake,
    async looked() {
      // The tick under way may have read before the change; the next one has not.
      if (running) await running;
      wake();
      await running;
    },
    async stop() {
      stopped = true;
      await running;
    },
  };
}

import type { Caller } from '../../api/caller.ts';
import type { FarmEvent } from '../../api/contract.ts';
import type { CallContext, Handlers } from '../../api/server.ts';
import { eventsAfter } from '../../journal/event.ts';
import { deltaOf, type Pieces, piecesOf } from '../../tell/face/delta.ts';
import { type View, viewOf } from '../../tell/face/view.ts';
import { deletedAfter, withTitle } from '../farm/feed.ts';
import type { Desk } from './context.ts';
import { queueOf } from './view/queue.ts';
import { readFarm } from './view/reading.ts';
import { statusOf } from './view/status.ts';

/** A change is shown at once, and those that follow it together: a farm of 100 agents writes hundreds of events a second. */
const PACE_MS = 100;

/**
 * Shows every face the farm as it changes. The answers are those of `status`, `list` and `queue`; they are asked for once for all
 * faces that look, after something happened, and never while nobody looks.
 */
export function watchCall(desk: Desk): Pick<Handlers, 'watch'> {
  const newest = shared(desk);
  return {
    async watch({ since, last }, context) {
      const { feed, farm } = desk;
      const { signal, item } = context;
      await feed.pump();
      let seq = since ?? Math.max(0, feed.seq - (last ?? 0));
      let before: Pieces | undefined;
      const gone = since === undefined ? undefined : await deletedAfter(farm.db, since, farm.clock.now());
      let early: FarmEvent[] = gone ? [gone] : [];
      const off = newest.look();
      try {
        while (!signal.aborted) {
          const changed = newest.next(signal);
          const events = [...early, ...(await eventsSince(desk, seq))];
          early = [];
          const after = await newest.pieces(context);
          const delta = deltaOf(before, after);
          seq = events.at(-1)?.seq ?? seq;
          if ((delta || events.length > 0) && !signal.aborted) item({ seq, events, ...delta });
          before = after;
          await changed;
          // A slow face is told of several changes at once.
          await context.drained?.();
        }
      } finally {
        off();
      }
      return {};
    },
  };
}

/** All events after `seq`. They are read before the view, which so knows at least of these. */
async function eventsSince({ farm }: Desk, seq: number): Promise<FarmEvent[]> {
  const tasks = await farm.tasks();
  const events: FarmEvent[] = [];
  for (let at = seq; ; at = events.at(-1)!.seq) {
    const rows = await eventsAfter(farm.db, at);
    if (rows.length === 0) return events;
    events.push(...rows.map((row) => withTitle(row, tasks)));
  }
}

interface Shared {
  /** Counts a face that looks, until the function that it returns is called. */
  look(): () => void;
  /** Resolves after the next change, and no sooner than the pace allows. */
  next(signal: AbortSignal): Promise<void>;
  /** The view after the newest change; several faces share one. */
  pieces(context: CallContext): Promise<Pieces>;
}

function shared(desk: Desk): Shared {
  let looking = 0;
  let off = () => {};
  let dirty = false;
  let pieces: Promise<Pieces> | undefined;
  let waiting: (() => void)[] = [];
  let timer: NodeJS.Timeout | undefined;
  const ring = () => {
    timer = undefined;
    if (!dirty) return;
    dirty = false;
    pieces = undefined;
    const woken = waiting;
    waiting = [];
    for (const wake of woken) wake();
    timer = setTimeout(ring, PACE_MS);
  };
  const hear = () => {
    dirty = true;
    if (!timer) ring();
  };
  return {
    look() {
      if (looking++ === 0) {
        off = desk.feed.onPump(hear);
        pieces = undefined;
      }
      return () => {
        if (--looking > 0) return;
        off();
        clearTimeout(timer);
        timer = undefined;
        dirty = false;
      };
    },
    next: (signal) =>
      new Promise((resolve) => {
        const wake = () => {
          signal.removeEventListener('abort', wake);
          resolve();
        };
        waiting.push(wake);
        signal.addEventListener('abort', wake);
      }),
    pieces(context) {
      pieces ??= readView(desk, context.caller).then(piecesOf);
      return pieces;
    },
  };
}

/** The whole view as it is now, from one reading. */
export async function readView(desk: Desk, caller: Caller): Promise<View> {
  const reading = readFarm(desk);
  const status = await statusOf(reading, caller);
  const tasks = await reading.board();
  const { problems } = await reading.tasks();
  return viewOf(desk.feed.seq, status, { tasks, problems }, await queueOf(reading));
}

import { EventEmitter } from 'node:events';
import type { FarmEvent } from '../../api/contract.ts';
import { eventsAfter, lastSeq, type StoredEvent, seqRange } from '../../journal/event.ts';
import type { EventKind } from '../../journal/event-kind.ts';
import type { Db } from '../../journal/store.ts';
import { visible } from '../../platform/visible.ts';
import { splitRef } from '../../work/task/id.ts';
import type { TaskRows } from './task-rows.ts';

/** Hands out events in order as they are committed; a reader that was away continues where it stopped. */
export interface Feed {
  /** Reads new events and passes them on; called after every change. */
  pump(): Promise<void>;
  on(listener: (event: FarmEvent) => void): () => void;
  /** Called after each look at the store: something may have changed, even without an event. */
  onPump(listener: () => void): () => void;
  readonly seq: number;
}

/** Events of one read. */
const MOST = 1000;

/** With `tasks`, the events have the titles of their tasks. */
export async function openFeed(db: Db, tasks?: () => Promise<Pick<TaskRows, 'row'>>): Promise<Feed> {
  const emitter = new EventEmitter();
  emitter.setMaxListeners(0);
  let seq = await lastSeq(db);
  let pumping: Promise<void> | undefined;
  let again = false;

  const pump = async () => {
    for (;;) {
      again = false;
      const rows = await eventsAfter(db, seq, MOST);
      const known = rows.length === 0 ? undefined : await tasks?.();
      for (const row of rows) {
        seq = row.seq;
        emitter.emit('event', known ? withTitle(row, known) : toFarmEvent(row));
      }
      // Whoever asked meanwhile may have written after the read.
      if (rows.length < MOST && !again) return;
    }
  };
  return {
    pump: () => {
      again = pumping !== undefined;
      pumping ??= pump().finally(() => {
        pumping = undefined;
        emitter.emit('pump');
      });
      return pumping;
    },
    on(listener) {
      emitter.on('event', listener);
      return () => emitter.off('event', listener);
    },
    onPump(listener) {
      emitter.on('pump', listener);
      return () => emitter.off('pump', listener);
    },
    get seq() {
      return seq;
    },
  };
}

export function toFarmEvent(row: StoredEvent): FarmEvent {
  const { text, ...data } = JSON.parse(row.data) as { text: string } & Record<string, unknown>;
  const task = row.task ? splitRef(row.task).id : null;
  return {
    seq: row.seq,
    at: new Date(row.at).toISOString(),
    kind: row.kind,
    agent: row.agent,
    task,
    attempt: row.attempt,
    text: visible(text.trimEnd()),
    data: { ...data, ref: row.task },
  };
}

/** The same, with the title of its task as it is now. */
export const withTitle = (row: StoredEvent, tasks: Pick<TaskRows, 'row'>): FarmEvent => ({
  ...toFarmEvent(row),
  title: row.task === null ? null : (tasks.row(row.task)?.title ?? null),
});

/** The event for a reader that asks for deleted events, numbered like the last of them, so that the numbers have no gap. */
export async function deletedAfter(db: Db, since: number, now: number): Promise<FarmEvent | undefined> {
  const oldest = await seqRange(db, now);
  if (!oldest || since + 1 >= oldest.first) return undefined;
  const [from, to] = [since + 1, oldest.first - 1];
  const kind: EventKind = 'events.deleted';
  const data = { from, to };
  const text = `events ${from} to ${to} are no longer kept`;
  return { seq: to, at: new Date(now).toISOString(), kind, agent: null, task: null, attempt: null, text, data };
}

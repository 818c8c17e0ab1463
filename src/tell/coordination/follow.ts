import { join } from 'node:path';
import type { EventLog } from './event-log.ts';
import { eventLog } from './event-log.ts';
import { project } from './project.ts';
import type { CoordinationSnapshot } from './snapshot.ts';
import { type FolderWriter, folderWriter } from './write.ts';

/** The least time between two looks: a farm at full speed changes hundreds of times a second, and nobody reads that fast. */
const LEAST_MS = 1000;
/** Events of before the folder was made. */
const FIRST_EVENTS = 1000;

export interface Source {
  /** Grows when something changes that the folder shows. */
  version(): number;
  read(): Promise<CoordinationSnapshot>;
  lastSeq(): Promise<number>;
  eventsAfter(seq: number): Promise<readonly { readonly seq: number }[]>;
  failed(error: Error): void;
}

/** The coordination folder of a running farm. */
export interface Coordination {
  /** Something may have changed. Cheap, and never waits. */
  follow(): void;
  /** Writes for the last time: no daemon is there any more. */
  close(): Promise<void>;
  /** Leaves the folder to another daemon as it is, and asks the store no more. */
  leave(): Promise<void>;
}

export function coordinationIn(folder: string, source: Source): Coordination {
  const writer = folderWriter(folder);
  const events = eventLog(join(folder, 'events.jsonl'));
  let [seen, at, ended] = [-1, Number.NEGATIVE_INFINITY, false];
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;
  const look = () => {
    timer = undefined;
    const version = source.version();
    if (ended || writing || version === seen) return;
    [seen, at] = [version, performance.now()];
    writing = show(source, writer, events, false)
      .then(
        () => true,
        (error: Error) => {
          // Tried again when the loop has looked once more.
          seen = -1;
          source.failed(error);
          return false;
        },
      )
      .then((worked) => {
        writing = undefined;
        if (worked) follow();
      });
  };
  const follow = () => {
    if (ended || writing || timer || source.version() === seen) return;
    const wait = at + LEAST_MS - performance.now();
    if (wait <= 0) look();
    else timer = setTimeout(look, wait).unref();
  };
  const leave = async () => {
    ended = true;
    clearTimeout(timer);
    await writing;
  };
  return {
    follow,
    leave,
    async close() {
      await leave();
      await show(source, writer, events, true).catch(source.failed);
    },
  };
}

async function show(source: Source, writer: FolderWriter, events: EventLog, last: boolean): Promise<void> {
  const snapshot = await source.read();
  await writer.write(project(last ? { ...snapshot, daemon: null } : snapshot));
  await tell(source, events);
}

/** Appends the events since the last one in the file. */
async function tell(source: Source, events: EventLog): Promise<void> {
  const newest = await source.lastSeq();
  let seq = events.last();
  if (seq > newest) {
    events.restart();
    seq = 0;
  }
  if (seq === 0) seq = Math.max(0, newest - FIRST_EVENTS);
  while (seq < newest) {
    const fresh = await source.eventsAfter(seq);
    if (fresh.length === 0) return;
    events.append(fresh);
    seq = fresh.at(-1)!.seq;
  }
}

import { readdir, rm, rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { doorFolder, doorSocket } from '../../api/place.ts';
import { type Handlers, type Serving, serve } from '../../api/server.ts';
import type { Farm } from '../../farm/farm.ts';
import { privateFolder } from '../../platform/files.ts';
import { recogniseAtDoor } from './recognise.ts';

/** The doors of attempts: for each a socket of its own, by which its agent calls. */
export interface Doors {
  /** Before the process starts, and again when a daemon comes back to an attempt that still runs. Safe to repeat. */
  open(attempt: number): Promise<void>;
  /** After the attempt has ended. */
  close(attempt: number): Promise<void>;
  /** Closes those of attempts that are over, also such as an earlier daemon left. */
  sweep(isOver: (attempt: number) => boolean): Promise<void>;
  /** Makes them again after somebody removed the folder. */
  again(): Promise<void>;
  /** From now on calls are answered by these. */
  answer(handlers: Handlers): void;
  /** Hangs up. The folders of attempts that go on stay for the next daemon; with `all` none goes on. */
  end(all: boolean): Promise<void>;
}

type Whose = Pick<Farm, 'id' | 'db' | 'config' | 'log'>;

export function doorsOf(farm: () => Whose, root: string): Doors {
  const open = new Map<number, Promise<Serving>>();
  const answering = Promise.withResolvers<Handlers>();
  const folder = dirname(doorFolder(root, 0));
  const listen = async (attempt: number): Promise<Serving> => {
    const handlers = await answering.promise;
    const { log } = farm();
    const onBug = (error: unknown) => log.error({ error: (error as Error).stack }, 'a call at a door failed');
    return serve(doorSocket(root, attempt), { handlers, recognise: (proven) => recogniseAtDoor(farm(), attempt)(proven), onBug });
  };
  const close = async (attempt: number) => {
    const serving = await open.get(attempt);
    open.delete(attempt);
    await serving?.close(true);
    await rm(doorFolder(root, attempt), { recursive: true, force: true });
  };
  return {
    async open(attempt) {
      const opened = open.get(attempt) ?? listen(attempt);
      open.set(attempt, opened);
      await opened.catch((error: unknown) => {
        open.delete(attempt);
        throw error;
      });
    },
    close,
    async sweep(isOver) {
      const names = await readdir(folder).catch(() => []);
      for (const attempt of new Set([...open.keys(), ...names.filter((name) => /^\d+$/.test(name)).map(Number)]))
        if (isOver(attempt)) await close(attempt);
    },
    async again() {
      await privateFolder(folder);
      for (const serving of open.values()) await (await serving).again();
    },
    answer: answering.resolve,
    async end(all) {
      for (const [attempt, serving] of [...open]) await (all ? close(attempt) : (await serving).close(true));
      open.clear();
      for (const empty of [folder, dirname(folder)]) await rmdir(empty).catch(() => {});
    },
  };
}

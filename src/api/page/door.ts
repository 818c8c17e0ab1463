import { isErrno } from '../../platform/error.ts';
import type { KeptDoor, PageOrder, PageServer } from './server.ts';

/** The page's door of one daemon: shut until a person asks for it. While it is shut nothing listens and nothing of it is loaded. */
export interface PageDoor {
  /** Safe to repeat: the same door, with the files of the page read anew. */
  open(): Promise<PageServer>;
  /**
   * Opens the door of the daemon before this one, so that open pages go on; its tokens are not those of before. `undefined`: there was none, or its port
   * is taken.
   */
  reopen(): Promise<PageServer | undefined>;
  readonly isOpen: boolean;
  /** Shuts it, and voids its tokens and sessions. */
  close(): Promise<void>;
  /** Shuts it for now: its pages find the next daemon. */
  leave(): Promise<void>;
}

/** The place in which a door outlives its daemon; only the person can read it. */
export interface DoorKeeper {
  read(): Promise<KeptDoor | undefined>;
  write(door: KeptDoor): Promise<void>;
  forget(): Promise<void>;
}

export function pageDoor(order: () => PageOrder, keeper: DoorKeeper): PageDoor {
  let opened: Promise<PageServer> | undefined;
  const start = async (kept?: KeptDoor) => {
    const { openPage } = await import('./server.ts');
    return openPage(order(), kept);
  };
  const begin = (kept?: KeptDoor): Promise<PageServer> => {
    const starting = start(kept);
    opened = starting;
    starting.catch(() => {
      if (opened === starting) opened = undefined;
    });
    return starting;
  };
  const shut = async () => {
    const closing = opened;
    opened = undefined;
    await (await closing)?.close();
  };
  return {
    get isOpen() {
      return opened !== undefined;
    },
    async open() {
      const again = opened;
      const server = await (again ?? begin());
      if (again) await server.refresh();
      else await keeper.write({ port: server.port, secret: server.secret });
      return server;
    },
    async reopen() {
      const kept = await keeper.read();
      if (!kept || opened) return undefined;
      return begin(kept).catch(async (error: unknown) => {
        if (!isErrno(error, 'EADDRINUSE') && !isErrno(error, 'EACCES')) throw error;
        // Another program has the port now, and must not receive our pages.
        await keeper.forget();
        return undefined;
      });
    },
    async close() {
      await keeper.forget();
      await shut();
    },
    leave: shut,
  };
}

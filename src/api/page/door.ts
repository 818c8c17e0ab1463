import type { PageOrder, PageServer } from './server.ts';

/** The page's door of one daemon: shut until a person asks for it. While it is shut nothing listens and nothing of it is loaded. */
export interface PageDoor {
  /** Safe to repeat: the same door, with the files of the page read anew. */
  open(): Promise<PageServer>;
  readonly isOpen: boolean;
  /** Shuts it, and its tokens are worth nothing any more. */
  close(): Promise<void>;
}

export function pageDoor(order: () => PageOrder): PageDoor {
  let opened: Promise<PageServer> | undefined;
  return {
    get isOpen() {
      return opened !== undefined;
    },
    async open() {
      const again = opened;
      opened ??= import('./server.ts').then(({ openPage }) => openPage(order()));
      const server = await opened.catch((error: unknown) => {
        opened = undefined;
        throw error;
      });
      if (again) await server.refresh();
      return server;
    },
    async close() {
      const closing = opened;
      opened = undefined;
      await (await closing)?.close();
    },
  };
}

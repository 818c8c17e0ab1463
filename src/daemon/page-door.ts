import { basename } from 'node:path';
import { type DoorKeeper, type PageDoor, pageDoor } from '../api/page/door.ts';
import type { PageOrder } from '../api/page/server.ts';
import type { Handlers } from '../api/server.ts';
import { packageFile } from '../platform/program.ts';
import { forgetPrivate, writePrivate } from '../platform/user-folder.ts';
import { EXPOSITION, exposition } from '../tell/metrics/exposition.ts';
import type { Host } from './host/host.ts';
import { doorFile, readDoor } from './host/page-door-file.ts';

/** The page's door of this farm, kept from one daemon to the next. */
export const doorOf = (farm: Host, handlers: () => Handlers): PageDoor => pageDoor(() => pageOrder(farm, handlers()), keeperOf(farm));

/** All that is served at the page's door: its files, the calls of a person, and routes beside them. */
function pageOrder(farm: Host, handlers: Handlers): PageOrder {
  return {
    version: farm.version,
    repo: basename(farm.repo.root),
    folder: packageFile('dist/page'),
    routes: { '/metrics': { access: 'read', answer: () => metricsText(handlers) } },
    handlers,
    onBug: (error) => farm.log.error({ error: (error as Error).stack }, 'a call of the page failed'),
  };
}

/** For Prometheus, with the token that only reads. */
async function metricsText(handlers: Handlers): Promise<{ kind: string; body: string }> {
  const caller = { kind: 'person', face: 'page', readOnly: true } as const;
  const { families } = await handlers.metrics({}, { caller, signal: new AbortController().signal, item() {} });
  return { kind: EXPOSITION, body: exposition(families) };
}

/** In the user's own folder, because its secret is none for the repository. Where that cannot be written, pages end with their daemon. */
function keeperOf({ repo, log }: Host): DoorKeeper {
  const name = doorFile(repo);
  const orElse = (error: Error) => log.warn({ error: error.message }, 'the door of the page could not be kept for the next daemon');
  return {
    read: async () => (await readDoor(repo).catch(orElse)) ?? undefined,
    write: (door) => writePrivate(name, `${JSON.stringify(door)}\n`).catch(orElse),
    forget: () => forgetPrivate(name).catch(orElse),
  };
}

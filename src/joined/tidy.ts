import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { slotMarker } from '../daemon/farm/process-names.ts';
import type { CheckHost } from '../daemon/host/host.ts';
import { retireTemplates } from '../daemon/host/setup.ts';
import { killTree } from '../platform/process/kill.ts';
import { purgeTrash, TRASH_MS } from '../repo/worktree/dispose.ts';

const TIDY_MS = 3600_000;

/** Ends what an earlier life of this host was doing, and removes what it had not delivered: the leader waits for none of it. */
export async function endEarlierLife(farm: CheckHost): Promise<void> {
  for (const slot of await readdir(farm.places.slots).catch(() => []))
    await killTree({ root: undefined, marker: slotMarker(farm, slot) }, 0);
  await rm(join(farm.places.logs, 'checks'), { recursive: true, force: true });
  for (const name of await readdir(farm.places.run).catch(() => []))
    if (name.startsWith('objects-')) await rm(join(farm.places.run, name), { force: true });
}

/** Removes every hour what was kept long enough: the trash, and templates of set-up. */
export function tidying(farm: CheckHost): { close(): void } {
  const tidy = async () => {
    await purgeTrash(farm.places, TRASH_MS, farm.clock.now());
    await retireTemplates(farm);
  };
  const look = () => void tidy().catch((error: Error) => farm.log.warn({ error: error.message }, 'it could not be tidied'));
  look();
  const every = setInterval(look, TIDY_MS).unref();
  return { close: () => clearInterval(every) };
}

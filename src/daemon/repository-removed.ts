import { existsSync } from 'node:fs';
import { readdir, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { closeProofs } from '../api/hello.ts';
import { daemonOf } from '../platform/daemon-lock.ts';
import { processesOf } from '../platform/process/table.ts';
import { sweepTemporary } from './host/agents/temporary.ts';
import type { Host } from './host/host.ts';
import { endStrays } from './host/strays.ts';

/** For each part of the daemon: what waits for something of a repository that is not there any more holds nobody up. */
const PART_MS = 5000;

/** Ends a part of the daemon of a repository that is gone, as far as that is possible. */
export async function asFarAsPossible(farm: Pick<Host, 'log'>, ...parts: (() => Promise<unknown> | undefined)[]): Promise<void> {
  for (const part of parts) {
    const late = sleep(PART_MS, undefined, { ref: false });
    await Promise.race([Promise.try(part), late]).catch((error: Error) =>
      farm.log.warn({ error: error.message }, 'a part could not be ended'),
    );
  }
}

/**
 * Ends all that this farm has started, and removes what it left outside of the repository. A process is known by the farm's own mark, the tmux
 * server by the connection to it or by the farm's session; the worktrees beside the repository stay, because they hold work.
 */
export async function endEverything(farm: Host): Promise<void> {
  await asFarAsPossible(
    farm,
    () => farm.terminals.kill(),
    () => endStrays(farm.id),
    () => sweepTemporary(farm, () => true),
  );
}

/** True while nobody else can have a farm at this place: then the sockets there are ours to remove. */
export const isVacant = ({ repo }: Pick<Host, 'repo'>): boolean => !existsSync(repo.root) || !existsSync(repo.gitDir);

/** Removes the sockets, which may be outside of the repository. */
async function dropSockets(farm: Host, socket: string): Promise<void> {
  if (!isVacant(farm)) return;
  await farm.doors.end(true);
  for (const one of [socket, farm.terminals.socket]) await rm(one, { force: true });
  closeProofs(socket);
  await rmdir(dirname(socket)).catch(() => {});
}

const OURS = ['.furrow', '.git'];

/** Removes the empty folders that we made while the checkout was being removed. A folder with a file in it, or with anything else beside, stays. */
export async function dropRemains({ root }: Host['repo']): Promise<void> {
  const names = await readdir(root).catch(() => []);
  if (names.length === 0 || names.some((name) => !OURS.includes(name))) return;
  for (const name of names) await dropEmpty(join(root, name));
  await rmdir(root).catch(() => {});
}

async function dropEmpty(folder: string): Promise<void> {
  const found = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const one of found) if (one.isDirectory()) await dropEmpty(join(folder, one.name));
  await rmdir(folder).catch(() => {});
}

/** A large checkout is removed for seconds, and our store may go long before the rest of it. */
const LINGER_MS = 20_000;

/** After this daemon has left agents at work for the next one: a repository that goes meanwhile has no next one. */
export async function endIfGoneSoon(farm: Host, socket: string, isGone: () => boolean): Promise<void> {
  const { gitDir } = farm.repo;
  for (const until = performance.now() + LINGER_MS; performance.now() < until; await sleep(1000)) {
    if (isGone()) {
      await endEverything(farm);
      return asFarAsPossible(
        farm,
        () => dropSockets(farm, socket),
        () => dropRemains(farm.repo),
      );
    }
    const next = daemonOf(gitDir)?.pid ?? process.pid;
    if (next !== process.pid || processesOf(farm.id).length === 0) return;
  }
}

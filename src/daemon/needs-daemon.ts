import { existsSync, statSync } from 'node:fs';
import { agentsOf } from '../agents/agent/store.ts';
import { openJobs } from '../agents/job/store.ts';
import { openLeases } from '../agents/lease/store.ts';
import { onTheirWay, openAsks } from '../agents/message/read.ts';
import { openIntents } from '../journal/act.ts';
import type { Db } from '../journal/store.ts';
import type { FarmFile, Identity } from '../platform/farm-file.ts';
import { formerPlaces, placesOf } from '../platform/places.ts';
import { openAttempts } from '../work/attempt/store.ts';
import { openQuestions } from '../work/question/store.ts';
import { unreadSplits } from '../work/split/read.ts';
import { openWork } from '../work/store.ts';
import { isWritable } from '../work/task/file-change.ts';
import { wantingTasks } from '../work/task/store.ts';
import { QUESTION } from './farm/failing.ts';
import type { Host } from './host/host.ts';
import { tmuxSocket } from './host/terminals.ts';

/** Says what of its places only a daemon can put in order; `undefined`: nothing. */
export function placesNeedDaemon(root: string, { file, fate }: Identity): string | undefined {
  const { worktrees, slots } = formerPlaces(root);
  const { dir, store, run, logs } = placesOf(root);
  if (fate !== 'same' || !isSettled(file)) return 'the repository, its home or its store is not where it was';
  if (![store, run, logs, file.home].every((path) => existsSync(path))) return 'a place of the farm is not there';
  if ([dir, run, logs].some((path) => (statSync(path).mode & 0o077) !== 0)) return 'others may read its folder, which a daemon closes';
  if ([worktrees, slots].some((path) => existsSync(path))) return 'worktrees are at a place of an earlier version';
  // A person may look at the windows that agents have left.
  return existsSync(tmuxSocket(root)) ? 'a terminal may be open' : undefined;
}

const isSettled = (file: FarmFile): file is FarmFile & { home: string } =>
  file.home !== undefined && file.lost !== true && file.leaving === undefined;

/** Says what the store still asks of a daemon, so that its first look would change the answers; `undefined`: nothing. */
export async function storeNeedsDaemon(db: Db): Promise<string | undefined> {
  if ((await openAttempts(db)).length > 0) return 'an attempt is open';
  if ((await openIntents(db)).length > 0) return 'an act was begun';
  if ((await wantingTasks(db)).some(isWritable)) return 'a task file is to be written';
  if ((await agentsOf(db)).some((agent) => agent.state !== 'stopped') || (await openWork(db)).length > 0) return 'work was not stopped yet';
  if ((await unreadSplits(db)).length > 0) return 'the answer of an agent was not read yet';
  if ((await openLeases(db)).length > 0) return 'the holder of a lease may be gone';
  for (const open of [openAsks, openJobs, onTheirWay]) if ((await open(db)).length > 0) return 'a conversation is open';
  // A daemon closes those whose reason has gone.
  const asked = await openQuestions(db, { kinds: [QUESTION, 'target', 'target-moved'] });
  return asked.length > 0 ? 'a question may have been settled' : undefined;
}

/** True when a new `worktree.root` is in force: worktrees have to be moved. */
export const hasNewRoot = ({ config }: Pick<Host, 'config'>, file: FarmFile): boolean =>
  (file.asked ?? null) !== (config.worktree.root ?? null);

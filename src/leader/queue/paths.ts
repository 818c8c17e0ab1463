import { openEntries } from '../../entry/read.ts';
import { noteChange } from '../../entry/store.ts';
import { type Asked, askedAtSubmit } from '../../entry/submitted.ts';
import { wakeAt } from '../../farm/alarm.ts';
import type { Farm } from '../../farm/farm.ts';
import { diffPaths } from '../../platform/git/objects.ts';
import { tryGit } from '../../platform/git/run.ts';
import { isUnread, pathRule } from './approval.ts';
import type { QueueMemory } from './memory.ts';
import { trouble } from './trouble.ts';

const AGAIN_MS = 1000;

/** Reads what entries change that wait for nothing else: where `approve:` is set, none is stacked before that is known. */
export async function readPaths(farm: Farm, memory: QueueMemory, head: string): Promise<void> {
  if (farm.config.approve.length === 0 || memory.noting || !head) return;
  const now = farm.clock.awake();
  const rows = await openEntries(farm.db);
  const due = rows.filter((row) => isUnread(farm.config, row) && (memory.troubled.get(row.id)?.until ?? 0) <= now);
  if (due.length > 0) void notePaths(farm, memory, head).then(() => farm.wake());
}

/**
 * Notes the paths that each new entry changes, for the order and the risk of others, and for `approve:`. One that shares no history changes
 * nothing. Two gits for each: with 150 that came together the first check ended a second later for it, so nothing waits for it.
 */
export async function notePaths(farm: Farm, memory: QueueMemory, head: string): Promise<void> {
  if (memory.noting) return;
  memory.noting = true;
  try {
    await notePathsOf(farm, memory, head);
  } catch (error) {
    farm.log.warn({ error: (error as Error).message }, 'what entries change could not be noted');
    wakeAt(farm, farm.clock.awake() + AGAIN_MS);
  } finally {
    memory.noting = false;
  }
}

async function notePathsOf(farm: Farm, memory: QueueMemory, head: string): Promise<void> {
  for (const row of await openEntries(farm.db)) {
    if (row.paths !== null) continue;
    const found = await changedPaths(farm, head, row.sha);
    // Not known is not "nothing": it is asked again. Without `approve:` it is for order and risk only.
    if (!found && farm.config.approve.length > 0) await trouble(farm, memory, row, `git cannot read what ${row.sha} changes`);
    else await storePaths(farm, row, found ?? []);
  }
}

/** `undefined` when git could not tell. */
async function changedPaths({ repo }: Farm, head: string, sha: string): Promise<string[] | undefined> {
  const base = await tryGit(repo, ['merge-base', head, sha]);
  const fork = base.stdout.split('\n')[0];
  // 1: they share no history, which is the merge's to complain about.
  if (!fork) return base.code === 1 ? [] : undefined;
  return diffPaths(repo, fork, sha).catch(() => undefined);
}

/** With the rule of `approve:` that is in force now: a later one may be laxer. */
async function storePaths(farm: Farm, row: { id: number; agent: string | null; land: string | null }, paths: string[]): Promise<void> {
  const { by, rules } = askedAtSubmit(row);
  const land: Asked = { by, rules: [...rules, ...pathRule(farm.config, paths)] };
  await noteChange(farm.db, row.id, paths, land);
}

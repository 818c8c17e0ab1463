import { quotedIfNeeded } from '../../../platform/shell.ts';
import type { FoundLanding } from '../../../repo/merge/trailers.ts';
import { splitRef } from '../../../work/task/id.ts';
import type { Pin } from '../../farm/pins.ts';

/** Everything that outlived the store. */
export interface Remains {
  /** On the verified chain and the target, newest first. */
  readonly landings: readonly FoundLanding[];
  /** On chains that a person replaced: these were taken out of the target, and do not come back. */
  readonly removed: readonly FoundLanding[];
  /** Pins of commits, with their commit; `landed`: the target has it. */
  readonly pins: readonly (Pin & { sha: string; landed: boolean })[];
  /** Branches of agents: `furrow/<phase>/<agent>/<id>`. */
  readonly branches: readonly { name: string; sha: string; landed: boolean }[];
  /** Processes of agents that were at work when the store was lost. */
  readonly strays: readonly { agent: string; task: string; attempt: number }[];
}

export interface Found {
  readonly task: string;
  /** The newest attempt that anything tells of. */
  readonly attempt: number;
  readonly standing: 'landed' | 'submitted' | 'parked' | 'open';
  readonly commit: string | null;
  /** The entry to queue again. */
  readonly entry: { sha: string; attempt: number; target: string; byHand: boolean } | null;
}

interface Rebuilt {
  readonly tasks: readonly Found[];
  /** Sentences about what nothing that is left could tell. */
  readonly unknown: readonly string[];
}

/** Decides where each task stands. A task with a landing has landed, whatever else is left of it. */
export function planRebuild(remains: Remains): Rebuilt {
  const landed = newestOf(remains.landings);
  for (const ref of reverted(remains.landings)) landed.delete(ref);
  const removed = newestOf(remains.removed);
  const attempts = lastAttempts(remains);
  const unknown: string[] = [];
  const tasks = [...attempts].map(([task, attempt]): Found => {
    const there = landed.get(task);
    const found = { task, attempt, commit: null, entry: null };
    if (there) return { ...found, standing: 'landed', commit: there.commit };
    if (removed.has(task)) {
      unknown.push(`${task} landed once and was taken out of the target; furrow retry ${splitRef(task).id} has it done again`);
      return { ...found, standing: 'parked' };
    }
    const queued = remains.pins.filter((pin) => pin.task === task && pin.queuedFor !== null && !pin.landed).at(-1);
    const newest = Math.max(0, ...remains.pins.filter((pin) => pin.task === task).map((pin) => pin.attempt ?? 0));
    if (queued && (queued.attempt ?? newest) >= newest) {
      const entry = { sha: queued.sha, attempt, target: queued.queuedFor!, byHand: queued.attempt === null };
      return { ...found, standing: 'submitted', entry };
    }
    return { ...found, standing: 'open' };
  });
  const told = new Set(tasks.filter(({ standing }) => standing !== 'open').map(({ task }) => task));
  for (const { name, landed: has } of remains.branches)
    if (!has && !told.has(taskOfBranch(name) ?? ''))
      unknown.push(`the branch ${name} has commits that have not landed; furrow submit ${quotedIfNeeded(name)}`);
  return { tasks, unknown };
}

function newestOf(landings: readonly FoundLanding[]): Map<string, FoundLanding> {
  const newest = new Map<string, FoundLanding>();
  for (const landing of landings) for (const { ref } of landing.tasks) if (!newest.has(ref)) newest.set(ref, landing);
  return newest;
}

/** Tasks that a slow check took back after their last landing: `revert/<id>-<commit>` landed later. */
function reverted(landings: readonly FoundLanding[]): string[] {
  const gone: string[] = [];
  const open = new Set<string>();
  for (const { tasks } of landings) {
    for (const { ref } of tasks) {
      const { phase, id } = splitRef(ref);
      if (phase === 'revert') open.add(id.replace(/-[0-9a-f]{8}$/, ''));
      else if (open.delete(id)) gone.push(ref);
    }
  }
  return gone;
}

function taskOfBranch(name: string): string | undefined {
  const [, phase, id] = /^furrow\/([^/]+)\/[^/]+\/([^/]+)$/.exec(name) ?? [];
  return phase && id ? `${phase}/${id}` : undefined;
}

/** The newest known attempt of every task: tokens only grow. */
function lastAttempts(remains: Remains): Map<string, number> {
  const last = new Map<string, number>();
  const seen = (task: string | undefined, attempt: number) => task && last.set(task, Math.max(last.get(task) ?? 0, attempt));
  for (const { tasks } of [...remains.landings, ...remains.removed]) for (const { ref, attempt } of tasks) seen(ref, attempt);
  for (const pin of remains.pins) seen(pin.task, pin.attempt ?? 1);
  for (const { name } of remains.branches) seen(taskOfBranch(name), 1);
  for (const { task, attempt } of remains.strays) seen(task, attempt);
  for (const task of [...last.keys()]) if (task.startsWith('revert/')) last.delete(task);
  return last;
}

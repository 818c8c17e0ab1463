import { resolve } from '../../platform/git/refs.ts';
import type { Farm } from '../farm/farm.ts';
import { targetedEntries } from '../leader/queue/switch-target.ts';
import type { Shown } from './context.ts';

/** The target, as `status` and `queue` show it. */
export interface ShownTarget {
  /** The target in force. */
  readonly target: string;
  readonly head: string | null;
  readonly published: string | null;
  /** Why publishing waits, on this target or an earlier one. */
  readonly waiting: string | null;
  /** An earlier target whose entries land first. */
  readonly draining: { readonly target: string; readonly entries: number } | null;
}

export async function shownTarget(farm: Farm, state: Shown): Promise<ShownTarget> {
  const { target } = farm;
  const others = [...state.others.values()].filter((one) => one.publishing.reason !== null);
  const late = others[0] && `${others[0].queue.target}: ${others[0].publishing.reason}`;
  const waiting = state.publishing.reason ?? late ?? null;
  if (state.queue.target === target)
    return { target, head: state.queue.head || null, published: state.targetAt || null, waiting, draining: null };
  const entries = (await targetedEntries(farm)).filter((entry) => entry.target === state.queue.target).length;
  const published = (await resolve(farm.repo, `refs/heads/${target}`)) ?? null;
  return { target, head: state.base || null, published, waiting, draining: { target: state.queue.target, entries } };
}

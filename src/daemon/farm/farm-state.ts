import type { Farm } from './farm.ts';
import type { FarmRows } from './snapshot.ts';

/**
 * The farm's state, for every answer that contains it. The state is `stopped` when nothing is at work any more; the time `stopped` is when
 * a person stopped it, and null in a farm that only has nothing to do.
 */
export function farmState(farm: Pick<Farm, 'stopped'>, { work, paused }: Pick<FarmRows, 'work' | 'paused'>) {
  const at = farm.stopped();
  const active = work.some((row) => row.state !== 'ended');
  const state: 'running' | 'paused' | 'stopped' = active ? (paused ? 'paused' : 'running') : 'stopped';
  return { state, stopped: at === undefined ? null : new Date(at).toISOString() };
}

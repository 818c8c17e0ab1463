import type { Lease } from './state.ts';

interface Shown extends Pick<Lease, 'names' | 'kind' | 'mode' | 'count' | 'standing'> {
  readonly who: string;
  readonly reason: string | null;
  readonly until: number | null;
}

/** `src/**, docs/*` or `2 of api:stripe`; shared ones say so. */
export function namesOf({ names, mode, kind, count }: Pick<Shown, 'names' | 'mode' | 'kind' | 'count'>): string {
  const much = kind === 'resource' && count > 1 ? `${count} of ` : '';
  return `${much}${names.join(', ')}${mode === 'shared' ? ' (shared)' : ''}`;
}

/** `ada holds src/** until 11:40:00 (moves the parser)`: the holder, the expected end and the reason. */
export function heldBy(lease: Shown, now: number): string {
  const end = lease.until === null ? '' : lease.until < now ? `, expected until ${clock(lease.until)}` : ` until ${clock(lease.until)}`;
  const reason = lease.reason === null ? '' : ` (${lease.reason})`;
  return `${lease.who} ${lease.standing === 'held' ? 'holds' : 'waits for'} ${namesOf(lease)}${end}${reason}`;
}

/** The holders in the way, in one sentence; more than three are counted. */
export function inWay(leases: readonly Shown[], now: number): string {
  const shown = leases.slice(0, 3).map((lease) => heldBy(lease, now));
  return `${shown.join('; ')}${leases.length > 3 ? `; and ${leases.length - 3} more` : ''}`;
}

const clock = (at: number) => new Date(at).toISOString().slice(11, 19);

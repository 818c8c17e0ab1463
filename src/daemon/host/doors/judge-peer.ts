import type { Forebear, Peer } from '../../../platform/process/peer.ts';

/** The pid and start time of an attempt's first process, as the store has them. */
interface AttemptProcess {
  readonly attempt: number;
  readonly pid: number;
  readonly start: string;
}

/** `helper`: a check or set-up that furrow runs. `outside`: in another pid namespace than the daemon, and of no attempt. */
export type Judged =
  | { readonly is: 'person' }
  | { readonly is: 'agent'; readonly attempt: number }
  | { readonly is: 'helper' }
  | { readonly is: 'outside' };

/**
 * Decides whose process a caller is. The outermost sign counts, because the daemon made it: whatever an agent starts is below the
 * attempt's first process, and may have any environment it likes. The markers come second: where there is no pid namespace, a process may
 * leave its parents, and then its environment and its cgroup are all that tells.
 */
export function judgePeer(peer: Peer, farm: string, processes: readonly AttemptProcess[]): Judged {
  const outermost = [...peer.line].reverse();
  const first = outermost.flatMap((one) => processes.filter((p) => p.pid === one.pid && p.start === one.start))[0];
  if (first) return { is: 'agent', attempt: first.attempt };
  const marked = outermost.flatMap((one) => ofMarker(one.marker, farm) ?? [])[0] ?? ofCgroup(peer.cgroup, farm);
  if (marked) return marked;
  return { is: peer.near ? 'person' : 'outside' };
}

/** True when a line of parents leads to something that this farm started. */
export const isBelowFarm = (line: readonly Forebear[], farm: string): boolean =>
  line.some((one) => ofMarker(one.marker, farm) !== undefined);

/** `<farm>.a7` is of an attempt, `.s` of a check, `.t` of set-up. The tmux server's mark says nothing: people type in it too. */
function ofMarker(marker: string | undefined, farm: string): Judged | undefined {
  if (!marker?.startsWith(`${farm}.`)) return undefined;
  const kind = marker.slice(farm.length + 1);
  const attempt = /^a(\d+)$/.exec(kind)?.[1];
  if (attempt !== undefined) return { is: 'agent', attempt: Number(attempt) };
  return /^[st]/.test(kind) && kind !== 'tmux' ? { is: 'helper' } : undefined;
}

function ofCgroup(cgroup: string, farm: string): Judged | undefined {
  const marker = /\/furrow-([^/\n]+)/.exec(cgroup)?.[1];
  return ofMarker(marker, farm);
}

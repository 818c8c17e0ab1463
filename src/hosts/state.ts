/** The standing of a machine that joined, as it is stored. */
export type Standing = 'joined' | 'draining' | 'removed';

/** The state that people see. `here`: the machine of the farm's daemon. `unknown`: nothing was heard of it for a while. */
export type HostState = 'here' | 'unknown' | Standing;

export type HostEvent = 'join' | 'drain' | 'undrain' | 'remove';

/** A host of which nothing was heard for so long is unknown: a lost packet or a short sleep takes less. */
export const SILENT_MS = 15_000;

/** A host ends its agents so long before the leader gives their work to others: killing them takes a moment. */
const BEFORE_LOST_MS = 10_000;

/** The time without an answer of the leader after which a host ends its agents. */
export const endsAgentsAfter = (lostAfterMs: number): number => Math.max(lostAfterMs / 2, lostAfterMs - BEFORE_LOST_MS);

/** The next standing of a host, or `undefined` when the event does not apply. A removed host stays removed: its key is refused for ever. */
export function step(from: Standing, event: HostEvent): Standing | undefined {
  if (from === 'removed') return undefined;
  switch (event) {
    case 'join':
      return from;
    case 'drain':
      return from === 'joined' ? 'draining' : undefined;
    case 'undrain':
      return from === 'draining' ? 'joined' : undefined;
    case 'remove':
      return 'removed';
    default:
      return event satisfies never;
  }
}

/** The state of a host as people see it. `silentMs`: since when nothing was heard of it; undefined: never, in the time of this daemon. */
export function shownState(standing: Standing, silentMs: number | undefined): HostState {
  if (standing === 'removed') return 'removed';
  return silentMs === undefined || silentMs >= SILENT_MS ? 'unknown' : standing;
}

/** True for what a host may be called: it becomes part of paths, and of names of slots. */
export const isHostName = (name: string): boolean => /^[a-z0-9][a-z0-9-]{0,39}$/.test(name);

/** A machine's own name, as the name of a host. */
export function asHostName(name: string): string {
  const plain = name
    .toLowerCase()
    .replace(/\..*$/, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 36);
  return isHostName(plain) ? plain : 'host';
}

/** The name, or it with the first number that nobody has. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  for (let n = 2; ; n++) if (!taken.has(`${name}-${n}`)) return `${name}-${n}`;
}

/** The progress of a landing: when its target followed it, and when a person took it out of the target again; null: not yet. */
export interface LandingStanding {
  readonly published: number | null;
  readonly removed: number | null;
}

export type LandingEvent =
  /** The target, and every checkout of it, has the commit. */
  | { readonly on: 'published'; readonly at: number }
  /** A person took it out of the target: it stays out. */
  | { readonly on: 'removed'; readonly at: number }
  /** The person put it back. */
  | { readonly on: 'restored' };

/** The next standing, or `undefined` when the event does not apply: a late or repeated event changes nothing. */
export function step({ published, removed }: LandingStanding, event: LandingEvent): LandingStanding | undefined {
  switch (event.on) {
    case 'published':
      return published === null ? { published: event.at, removed } : undefined;
    case 'removed':
      return removed === null ? { published, removed: event.at } : undefined;
    case 'restored':
      return removed === null ? undefined : { published, removed: null };
    default:
      return event satisfies never;
  }
}

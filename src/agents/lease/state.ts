/** The standing of a lease: in line, held, or over. Every change of it goes through `step`, so this file is the whole story. */
type LeaseStanding = 'waiting' | 'held' | 'ended';

type LeaseMode = 'exclusive' | 'shared';

/** A hold on paths or on named resources, or the wish for one. */
export interface Lease {
  /** In the order of arrival, and never used again. */
  readonly id: number;
  readonly kind: 'path' | 'resource';
  /** Patterns of paths, or names of resources; all of them or none. */
  readonly names: readonly string[];
  readonly mode: LeaseMode;
  /** Units of each resource. */
  readonly count: number;
  /** The one that holds or waits: leases of one holder are never in each other's way. */
  readonly holder: string;
  readonly standing: LeaseStanding;
  /** The number of the grant, higher than that of every earlier grant: whoever speaks for the lease shows it. Null until it is held. */
  readonly token: number | null;
}

export type LeaseEvent =
  | { readonly on: 'granted'; readonly token: number }
  /** The holder releases it: the grant that its token names, or without a token the lease in any standing. */
  | { readonly on: 'released'; readonly holder: string; readonly token?: number }
  /** The holder's work enters the queue, or comes back: the lease goes with the work, and its former holder can no longer act on it. */
  | { readonly on: 'passed'; readonly holder: string; readonly to: string }
  /** Proof that the holder is gone, or the word of a person. Time alone is neither. */
  | { readonly on: 'ended' };

type Mark = Pick<Lease, 'standing' | 'token' | 'holder'>;

/** The holder of leases that go with the submitted work of a task until that has landed or gone back. */
export const workOf = (task: string): string => `task:${task}`;

/** The task whose submitted work has a lease; `undefined`: it is held by somebody. */
export const workIn = ({ holder }: Pick<Lease, 'holder'>): string | undefined =>
  holder.startsWith('task:') ? holder.slice('task:'.length) : undefined;

type Next = Pick<Lease, 'standing' | 'token'> & Partial<Pick<Lease, 'holder'>>;

/** The next standing and token, or `undefined` when the event does not apply: a late or foreign word changes nothing. */
export function step(from: Mark, event: LeaseEvent): Next | undefined {
  switch (event.on) {
    case 'granted':
      return from.standing === 'waiting' ? { standing: 'held', token: event.token } : undefined;
    case 'released':
      if (from.standing === 'ended' || from.holder !== event.holder) return undefined;
      return event.token === undefined || event.token === from.token ? { standing: 'ended', token: from.token } : undefined;
    case 'passed':
      if (from.standing !== 'held' || from.holder !== event.holder) return undefined;
      return { standing: 'held', token: from.token, holder: event.to };
    case 'ended':
      return from.standing === 'ended' ? undefined : { standing: 'ended', token: from.token };
    default:
      return event satisfies never;
  }
}

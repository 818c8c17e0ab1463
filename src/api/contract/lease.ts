import { z } from 'zod';
import { ids, nothing, time } from './shapes.ts';

/** Patterns for one lease, and letters in each. */
const globs = z.array(z.string().min(1).max(300)).min(1).max(50);
const DAY = 24 * 3600_000;
const wish = {
  shared: z.boolean().optional(),
  /** The expected end, from now; the lease does not expire. */
  forMs: z
    .number()
    .int()
    .min(1)
    .max(365 * DAY)
    .optional(),
  reason: z.string().max(500).optional(),
  /** Stands in line when others are in the way; else it is refused. */
  wait: z.boolean().optional(),
};

const other = () => z.object({ id: z.string(), holder: z.string(), names: ids, until: time.nullable(), reason: z.string().nullable() });

const shownLease = () =>
  z.object({
    id: z.string(),
    kind: z.enum(['path', 'resource']),
    names: ids,
    mode: z.enum(['exclusive', 'shared']),
    count: z.number(),
    state: z.enum(['waiting', 'held', 'ended']),
    /** The agent, `you` for a person, or the check. */
    holder: z.string(),
    task: z.string().nullable(),
    attempt: z.number().nullable(),
    /** Its beginning: `declared`, `needed`, `reserved` or `held`. */
    origin: z.string(),
    reason: z.string().nullable(),
    asked: time,
    since: time.nullable(),
    until: time.nullable(),
    /** It is held past its expected end. */
    overdue: z.boolean(),
    /** The number of the grant, higher than that of every grant before it. */
    token: z.number().nullable(),
    /** The leases in the way of one that waits. */
    behind: z.array(other()),
  });

const resource = () => z.object({ name: z.string(), capacity: z.number(), used: z.number(), waiting: z.number() });

/** Leases on paths and on named resources. The holder is whoever calls: an attempt, or the process of a person. */
export const leaseCalls = {
  reserve: { in: z.object({ globs, ...wish }), out: () => z.object({ lease: shownLease() }) },
  /** Without an id: all that the caller has reserved. A person may release anybody's. */
  release: { in: z.object({ id: z.string().optional() }), out: () => z.object({ released: ids }) },
  /** `marker`: the value of FURROW_HOLD for the command that runs below it. */
  hold: {
    in: z.object({ resource: z.string(), count: z.number().int().min(1).max(10_000).optional(), ...wish }),
    out: () => z.object({ lease: shownLease(), marker: z.string() }),
  },
  unhold: { in: z.object({ id: z.string() }), out: () => z.object({ released: ids }) },
  /** Answers when the lease is held, or is over. */
  leaseTurn: { in: z.object({ id: z.string() }), out: () => z.object({ lease: shownLease() }) },
  locks: { in: nothing, out: () => z.object({ leases: z.array(shownLease()), resources: z.array(resource()) }) },
} as const;

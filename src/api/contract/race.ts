import { z } from 'zod';
import { ids, time } from './shapes.ts';

/** One of several tries at a task. */
const entrant = () =>
  z.object({
    n: z.number(),
    /** The id of its errand: `furrow show`, `why`, `logs` and `diff` take it. */
    task: z.string(),
    kind: z.string().nullable(),
    agent: z.string().nullable(),
    state: z.enum(['running', 'finished', 'green', 'out', 'dropped', 'won', 'lost']),
    reason: z.string().nullable(),
    commit: z.string().nullable(),
    branch: z.string().nullable(),
    attempts: z.number(),
    /** Null: nobody knows. */
    usd: z.number().nullable(),
    tokens: z.number(),
    /** Lines that it changes on the target. */
    lines: z.number().nullable(),
  });

/** A race, under way or over. */
export const shownRace = () =>
  z.object({
    task: z.string(),
    phase: z.string(),
    state: z.enum(['racing', 'judging', 'won', 'lost', 'cancelled']),
    winner: z.number().nullable(),
    why: z.string().nullable(),
    /** The judge: `command`, or the id of an errand; null: nobody was asked. */
    judge: z.string().nullable(),
    at: time,
    ended: time.nullable(),
    entrants: z.array(entrant()),
  });

/** Calls about races: several tries at one task. */
export const raceCalls = {
  race: {
    in: z.object({
      task: z.string(),
      entrants: z.number().int().min(2).max(999).optional(),
      /** A kind for each entrant, instead of their number. */
      kinds: ids.optional(),
    }),
    out: () =>
      shownRace().extend({
        /** Why nobody starts yet; null: agents start as they become free. */
        waits: z.string().nullable(),
      }),
  },
  raceDrop: {
    in: z.object({ task: z.string(), entrant: z.number().int().min(1), reason: z.string().optional() }),
    out: () => z.object({ task: z.string(), entrant: z.number(), agent: z.string().nullable(), left: z.number() }),
  },
  raceShow: { in: z.object({ task: z.string() }), out: shownRace },
} as const;

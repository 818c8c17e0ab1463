import { z } from 'zod';
import { failedOutput, ids, preflight, reason, taskState } from './shapes.ts';

/** Calls by which a person starts, stops and steers work. */
export const workCalls = {
  work: {
    in: z.object({
      phase: z.string().optional(),
      parallel: z.number().int().min(1).max(500).optional(),
      agent: z.string().optional(),
      fresh: z.boolean().optional(),
      until: z.enum(['empty', 'forever']).optional(),
      /** `false`: agents start before the head was checked. */
      preflight: z.boolean().optional(),
    }),
    out: () =>
      z.object({
        phase: z.string(),
        parallel: z.number(),
        agents: ids,
        target: z.string(),
        /** Agents wait until the head has passed its checks; the call `preflight` tells of it. */
        preflight: z.boolean().optional(),
        /** When it ends: by itself, or never. */
        until: z.enum(['empty', 'forever']).optional(),
        /** Tasks and agents that wait for a person from the start, each with the command to type. */
        paused: ids.optional(),
      }),
  },
  /** The checks on the head. With `ask` they are run, unless they passed on this tree before; with `wait` it resolves when they have answered. */
  preflight: {
    in: z.object({ ask: z.boolean().optional(), wait: z.boolean().optional() }),
    out: preflight,
  },
  /** Resolves when no task of the phase can start any more. */
  settled: {
    in: z.object({ phase: z.string() }),
    out: () =>
      z.object({
        phase: z.string(),
        landed: z.number(),
        total: z.number(),
        left: z.array(z.object({ id: z.string(), title: z.string(), state: taskState, reason: z.string() })),
        stopped: z.boolean(),
        /** Of the failed checks that hold back what is left. */
        outputs: z.array(failedOutput()),
      }),
  },
  why: {
    in: z.object({ subject: z.string() }),
    out: () => z.object({ subject: z.string(), state: z.string(), reasons: z.array(reason()) }),
  },
  pause: { in: z.object({ agent: z.string().optional() }), out: () => z.object({ paused: ids }) },
  resume: {
    in: z.object({ agent: z.string().optional() }),
    /** `wasStopped`: a person had stopped the farm, and it goes on now. */
    out: () => z.object({ resumed: ids, wasStopped: z.boolean().optional() }),
  },
  stop: {
    in: z.object({
      agent: z.string().optional(),
      all: z.boolean().optional(),
      now: z.boolean().optional(),
      /** With `all`: only the daemon ends, and the farm is no more stopped than before. */
      leave: z.boolean().optional(),
    }),
    /** `farm`: the daemon ends. `everything`: the farm is stopped until a person lets it go on. */
    out: () => z.object({ stopped: ids, farm: z.boolean(), everything: z.boolean().optional() }),
  },
  /** A person takes a task over: its attempt is stopped, and they get a worktree with what it did. */
  take: {
    in: z.object({ task: z.string() }),
    out: () =>
      z.object({
        task: z.string(),
        worktree: z.string(),
        branch: z.string(),
        by: z.string(),
        /** Commands of set-up that are left to the person: those for an agent's own port or name; all of them when set-up failed. */
        setup: z.array(z.string()),
        /** Why set-up failed. */
        problem: z.string().nullable(),
      }),
  },
  /** They give it back; `from` is the commit that the next attempt starts at, when they did anything. */
  give: {
    in: z.object({ task: z.string(), note: z.string().optional() }),
    out: () => z.object({ task: z.string(), from: z.string().nullable() }),
  },
  /** Takes a stop of the work back, for the agents that have not been ended: the answer names them. */
  carryOn: { in: z.object({ phase: z.string() }), out: () => z.object({ agents: ids }) },
  /** `reason`: a person's words for the next attempt. */
  retry: { in: z.object({ task: z.string(), reason: z.string().optional() }), out: () => z.object({ id: z.string() }) },
  answer: { in: z.object({ question: z.string(), text: z.string() }), out: () => z.object({ id: z.string() }) },
} as const;

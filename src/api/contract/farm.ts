import { z } from 'zod';
import { agent, cost, draining, event, hostState, ids, nothing, question, time } from './shapes.ts';

/** Calls about the farm as a whole, its configuration and its upkeep. */
export const farmCalls = {
  ping: { in: nothing, out: () => z.object({ pid: z.number(), version: z.string(), repo: z.string() }) },
  status: {
    in: nothing,
    out: () =>
      z.object({
        farm: z.object({
          /** `stopped`: nothing is at work; a person stopped it only if `stopped` says when. */
          state: z.enum(['running', 'paused', 'stopped']),
          stopped: time.nullable(),
          /** The daemon; null when a stopped farm was read without one. */
          pid: z.number().nullable(),
          version: z.string(),
        }),
        agents: z.array(agent()),
        tasks: z.record(z.string(), z.number()),
        /** The branch that new work lands on. */
        target: z.string(),
        queue: z.object({
          target: z.string(),
          depth: z.number(),
          checking: z.number(),
          /** Those of them whose slot is still being prepared (files, set-up). */
          setups: z.number(),
          head: z.string().nullable(),
          published: z.string().nullable(),
          waiting: z.string().nullable(),
          draining: draining(),
          /** Checks that hang, a sentence each. */
          hanging: z.array(z.string()).readonly(),
          /** A person has paused it. */
          paused: z.boolean(),
          /** Why nothing lands, if so. */
          halted: z.string().nullable(),
          /** Slow checks and pushes that are still to follow a landing. */
          pending: ids,
        }),
        /** The configuration in force, and why furrow.yaml in the checkout is not it. */
        config: z.object({ source: z.string(), commit: z.string().nullable(), since: time, differs: z.string().nullable() }),
        /** The level for what starts now, and why it is not more. */
        isolation: z.object({ level: z.enum(['none', 'guard', 'strict']), why: z.string().nullable() }),
        attention: z.array(question()),
        /** The machines that joined the farm; left out when none did. */
        hosts: z.array(z.object({ name: z.string(), state: hostState(), checking: z.number(), checks: z.number() })).optional(),
        /** Messages of agents that wait for the person. */
        inbox: z.number(),
        cost: z.object({ usd: z.number(), tokens: z.number() }),
      }),
  },
  /**
   * The farm as it changes: a delta of the view (src/tell/face) and the events behind it, at each change. The first one is all of the view;
   * its events are those after `since`, or the newest `last` ones.
   */
  watch: {
    in: z.object({ since: z.number().int().min(0).optional(), last: z.number().int().min(0).optional() }),
    out: () => nothing,
    stream: () =>
      z.object({
        seq: z.number(),
        /** The first one of a connection. */
        whole: z.boolean().optional(),
        events: z.array(event()),
        status: z.unknown().optional(),
        queue: z.unknown().optional(),
        problems: ids.optional(),
        lists: z.record(z.string(), z.object({ set: z.record(z.string(), z.unknown()), order: ids.optional() })).optional(),
      }),
  },
  /** Only what needs the person, at each change of it: for a tab that nobody looks at. The first one comes at once. */
  needsYou: {
    in: nothing,
    out: () => nothing,
    stream: () => z.object({ questions: z.array(z.object({ id: z.string(), name: z.string(), reason: z.string() })) }),
  },
  /** The farm in at most so many tokens: what rarely changes first, what needs a decision last. */
  digest: {
    in: z.object({ since: z.number().int().min(0).optional(), tokens: z.number().int().min(200).max(100_000) }),
    out: () =>
      z.object({
        /** The newest event in it: the next digest is asked for since this one. */
        seq: z.number(),
        since: z.number().nullable(),
        budget: z.number(),
        tokens: z.number(),
        sections: z.array(z.object({ name: z.string(), lines: z.array(z.string()).readonly(), left_out: z.number() })).readonly(),
      }),
  },
  /** The configuration in force. */
  config: {
    in: nothing,
    out: () =>
      z.object({
        config: z.record(z.string(), z.unknown()),
        target: z.string(),
        in_force: z.object({
          version: z.number(),
          source: z.enum(['target', 'checkout', 'defaults']),
          commit: z.string().nullable(),
          since: time,
          /** Its source, in words. */
          from: z.string(),
          target_since: time,
          target_reason: z.string(),
          /** The level of isolation, and why it is not more. */
          isolation: z.object({ level: z.string(), why: z.string().nullable() }),
        }),
        /** The parts of the person's own configuration that agents of a kind in a fence have, and those that they have not. */
        own: z.array(z.object({ kind: z.string(), there: z.array(z.string()), left_out: z.array(z.string()) })),
        /** Why furrow.yaml in the checkout is not what is in force. */
        differs: z.string().nullable(),
        /** The mistakes in furrow.yaml of the checkout, one a line. */
        invalid: z.string().nullable(),
      }),
  },
  attach: {
    in: z.object({ agent: z.string().optional() }),
    out: () => z.object({ socket: z.string(), session: z.string(), window: z.string().nullable() }),
  },
  /** Streams events from `since`; with `follow` it never ends by itself. */
  log: {
    in: z.object({
      since: z.number().optional(),
      last: z.number().optional(),
      follow: z.boolean().optional(),
      agent: z.string().optional(),
      task: z.string().optional(),
    }),
    out: () => nothing,
    stream: event,
  },
  cost: {
    in: nothing,
    out: () =>
      z.object({
        total: cost(),
        /** Since the `furrow work` that is under way. */
        run: cost(),
        tasks: z.array(
          cost().extend({
            id: z.string(),
            phase: z.string(),
            title: z.string(),
            landed: z.boolean(),
            attempts: z.array(cost().extend({ n: z.number(), agent: z.string() })),
          }),
        ),
        agents: z.array(cost().extend({ name: z.string(), kind: z.string() })),
        /** Each conversation, from the start of its attempt to its last figure: the cost over time. */
        spans: z.array(
          z.object({
            id: z.string(),
            phase: z.string(),
            agent: z.string(),
            attempt: z.number(),
            from: time,
            to: time,
            usd: z.number(),
            tokens: z.number(),
          }),
        ),
      }),
  },
  clean: {
    in: z.object({ dryRun: z.boolean() }),
    out: () =>
      z.object({
        removed: z.array(z.object({ path: z.string(), what: z.string() })),
        kept: z.array(z.object({ path: z.string(), reason: z.string() })),
      }),
  },
  doctor: {
    in: z.object({ fix: z.boolean() }),
    out: () =>
      z.object({
        findings: z.array(
          z.object({ level: z.enum(['ok', 'warn', 'bad']), what: z.string(), hint: z.string().nullable(), fixed: z.boolean() }),
        ),
      }),
  },
} as const;

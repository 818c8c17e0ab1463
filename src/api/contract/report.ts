import { z } from 'zod';
import { cost, ids, nothing, taskState, time } from './shapes.ts';

const ms = z.number();

/** Times that something took: how many there are, the median, the 95th of a hundred, the longest, and all together. */
const spread = () => z.object({ count: z.number(), p50_ms: ms, p95_ms: ms, longest_ms: ms, total_ms: ms });

const work = () => z.object({ task: z.string(), phase: z.string(), title: z.string() });

const landed = () =>
  work().extend({
    /** Null: a person's branch. */
    agent: z.string().nullable(),
    kind: z.string().nullable(),
    /** Null: the task needed no change. */
    commit: z.string().nullable(),
    at: time,
    /** When nothing held it back any more; null where that is not known. */
    ready: time.nullable(),
    lead_ms: ms.nullable(),
    attempts: z.number(),
    usd: z.number(),
    tokens: z.number(),
  });

const byWhom = () =>
  cost().extend({
    name: z.string(),
    attempts: z.number(),
    /** Attempts whose work landed. */
    landed: z.number(),
    /** Attempts that failed, crashed, ran out of time or gave up. */
    failed: z.number(),
    worked_ms: ms,
  });

const check = () =>
  spread().extend({
    name: z.string(),
    runs: z.number(),
    passes: z.number(),
    fails: z.number(),
    errors: z.number(),
    flakes: z.number(),
  });

/** The time that something waited: in all, and how often. */
const wait = () => z.object({ count: z.number(), total_ms: ms, longest_ms: ms });

const answered = () =>
  z.object({
    id: z.string(),
    kind: z.string(),
    level: z.string(),
    subject: z.string(),
    reason: z.string(),
    since: time,
    /** Null: it is still open. */
    closed: time.nullable(),
    open_ms: ms,
    /** A person answered it; otherwise its reason has gone. */
    answered: z.boolean(),
  });

const span = () => z.object({ from: time, to: time, what: z.enum(['work', 'waiting', 'limited']), task: z.string(), outcome: z.string() });

export const reportCalls = {
  /** A run told afterwards. Without `at` or `seq`: since the run that is under way, or the last one, began. */
  report: {
    in: z.object({ at: time.optional(), seq: z.number().int().min(0).optional() }),
    out: () =>
      z.object({
        farm: z.object({ name: z.string(), target: z.string(), version: z.string(), state: z.string(), made: time }),
        period: z.object({
          from: time,
          to: time,
          /** The beginning of the period, in words. */
          since: z.string(),
          /** In words, the part that is missing because it is no longer kept; null: nothing is. */
          missing: z.string().nullable(),
          seq: z.object({ first: z.number(), last: z.number() }),
        }),
        tasks: z.record(z.string(), z.number()),
        landings: z.number(),
        landed: z.array(landed()),
        lead: spread(),
        attempts: z.object({ total: z.number(), outcomes: z.record(z.string(), z.number()) }),
        cost: cost().extend({
          tasks: z.array(cost().extend({ id: z.string(), phase: z.string(), title: z.string(), landed: z.boolean() })),
        }),
        agents: z.array(byWhom().extend({ kind: z.string() })),
        kinds: z.array(byWhom()),
        waiting: z.object({
          /** Questions that were open. */
          person: wait(),
          /** Tasks that nothing held back, and that no agent was free for. */
          agent: wait(),
          /** Entries in the queue before they were under check for the first time. */
          slot: wait(),
          /** Tasks that waited for others to land. */
          dependencies: wait(),
          /** Providers that refused to serve. */
          limit: wait(),
        }),
        checks: z.array(check()),
        conflicts: z.object({
          predicted: z.number(),
          entries: z.array(work().extend({ at: time, reason: z.string().nullable() })),
        }),
        rejected: z.array(work().extend({ at: time, reason: z.string().nullable() })),
        flakes: z.array(z.object({ check: z.string(), tree: z.string(), at: time })),
        questions: z.object({ asked: z.number(), answered: z.number(), open: z.number(), time: spread(), list: z.array(answered()) }),
        reviews: z.object({
          asked: z.number(),
          approved: z.number(),
          findings: z.number(),
          overruled: z.number(),
          list: z.array(work().extend({ round: z.number(), state: z.string(), reviewer: z.string().nullable(), at: time })),
        }),
        races: z.array(
          work().extend({ entrants: z.number(), outcome: z.string(), winner: z.string().nullable(), why: z.string().nullable(), at: time }),
        ),
        taken_back: z.array(work().extend({ at: time, why: z.string() })),
        left: z.array(work().extend({ state: taskState, reason: z.string().nullable() })),
        plots: z.object({
          lanes: z.array(z.object({ agent: z.string(), spans: z.array(span()) })),
          spent: z.array(z.object({ at: time, usd: z.number(), tokens: z.number() })),
          runs: z.array(z.object({ at: time, check: z.string(), outcome: z.enum(['pass', 'fail', 'error']), ms })),
        }),
      }),
  },
  /** The figures of the farm for Prometheus and others that watch it. */
  metrics: {
    in: nothing,
    out: () =>
      z.object({
        families: z.array(
          z.object({
            name: z.string(),
            kind: z.enum(['gauge', 'counter', 'histogram']),
            help: z.string(),
            labels: ids,
            /** Since when a counter or histogram counts. */
            since: time.nullable(),
            samples: z.array(
              z.object({
                labels: z.record(z.string(), z.string()),
                value: z.number(),
                /** Of a histogram: how many there were up to each bound; `value` is their sum. */
                buckets: z.array(z.object({ le: z.number(), count: z.number() })).optional(),
                count: z.number().optional(),
              }),
            ),
          }),
        ),
      }),
  },
} as const;

import { z } from 'zod';
import { ids } from './shapes.ts';

const proposed = z.object({
  key: z.string(),
  title: z.string(),
  body: z.string(),
  paths: ids.readonly(),
  depends_on: ids.readonly(),
  priority: z.string().optional(),
  agent: z.string().optional(),
});

/** Calls by which a task or a goal is split into tasks. */
export const splitCalls = {
  /** Asks an agent for tasks. */
  split: {
    in: z.object({ task: z.string().optional(), goal: z.string().min(1).max(16_384).optional(), kind: z.string().optional() }),
    out: () => z.object({ id: z.string() }),
  },
  /** Resolves when there is a proposal, or when there will be none. */
  splitReady: {
    in: z.object({ id: z.string() }),
    out: () =>
      z.object({
        id: z.string(),
        state: z.enum(['proposed', 'failed', 'answered']),
        /** The question that puts the tasks on the board. */
        question: z.string().nullable(),
        tasks: z.array(proposed).readonly(),
        /** The graph of the tasks, a line each. */
        graph: ids.readonly(),
        /** Why there is no proposal, or what was answered. */
        reason: z.string().nullable(),
      }),
  },
  /** A yes puts the proposed tasks on the board; the answer has their ids by their keys. */
  splitAnswer: {
    in: z.object({ id: z.string(), approve: z.boolean() }),
    out: () => z.object({ id: z.string(), tasks: z.record(z.string(), z.string()) }),
  },
} as const;

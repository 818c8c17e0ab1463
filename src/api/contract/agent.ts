import { z } from 'zod';
import { message, speaker } from './shapes.ts';

/**
 * Calls that an agent makes about its own attempt, and messages to agents. The daemon knows who speaks; a `speaker` or `from` that says
 * otherwise is refused.
 */
export const agentCalls = {
  /** `unchanged`: why no change is needed. `result`: the answer of an errand. */
  done: {
    in: z.object({
      speaker: speaker.optional(),
      summary: z.string().optional(),
      unchanged: z.string().optional(),
      result: z.string().optional(),
    }),
    out: z.object({ task: z.string() }),
  },
  blocked: { in: z.object({ speaker: speaker.optional(), reason: z.string() }), out: z.object({ task: z.string() }) },
  progress: { in: z.object({ speaker: speaker.optional(), text: z.string() }), out: z.object({ task: z.string() }) },
  /** A question of an agent to a person; the answer comes as a message. */
  ask: { in: z.object({ speaker: speaker.optional(), text: z.string() }), out: z.object({ question: z.string() }) },
  notify: {
    in: z.object({ from: speaker.optional(), to: z.string(), text: z.string() }),
    out: z.object({ id: z.string(), to: z.string() }),
  },
  /** With `take` what waits for the agent counts as delivered: it was read. */
  inbox: {
    in: z.object({ speaker: speaker.optional(), agent: z.string().optional(), take: z.boolean().optional() }),
    out: z.object({ messages: z.array(message) }),
  },
} as const;

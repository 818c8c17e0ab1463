import { z } from 'zod';
import { speaker } from './shapes.ts';

/**
 * Calls that an agent makes about its own attempt. The daemon knows who speaks; a `speaker` that says otherwise is refused.
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
    out: () => z.object({ task: z.string() }),
  },
  blocked: { in: z.object({ speaker: speaker.optional(), reason: z.string() }), out: () => z.object({ task: z.string() }) },
  progress: { in: z.object({ speaker: speaker.optional(), text: z.string() }), out: () => z.object({ task: z.string() }) },
} as const;

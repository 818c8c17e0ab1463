import { z } from 'zod';
import { nothing } from './shapes.ts';

/** Calls about other farms of this machine, and about more agents for this one. */
export const circleCalls = {
  farms: {
    in: nothing,
    out: z.object({
      farms: z.array(
        z.object({
          name: z.string(),
          repo: z.string(),
          version: z.string(),
          pid: z.number(),
          /** The farm that was asked. */
          own: z.boolean(),
          /** Agents of the farm that was asked may write to it, and it to them; what the other side allows is its own to say. */
          send: z.boolean(),
          accept: z.boolean(),
        }),
      ),
    }),
  },
  /** A message that the daemon of another farm brings, from one of its agents or its person. Who brings it is known by its process. */
  receive: {
    in: z.object({ sender: z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/), to: z.string(), text: z.string(), key: z.string() }),
    out: z.object({ id: z.string(), to: z.string(), waits: z.string().nullable() }),
  },
  /** One more agent, with a task of its own. Its name is known once it has started. */
  spawnPeer: {
    in: z.object({ kind: z.string(), text: z.string().min(1), phase: z.string().optional() }),
    out: z.object({ task: z.string(), phase: z.string(), agent: z.string().nullable() }),
  },
  /** Stops an agent as a person would; what it did is kept. */
  killPeer: { in: z.object({ agent: z.string(), reason: z.string().min(1) }), out: z.object({ stopped: z.string() }) },
} as const;
